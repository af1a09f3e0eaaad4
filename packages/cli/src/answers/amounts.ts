/** A number of bytes for a person: three digits are enough. */
export function readableSize(bytes: number): string {
  let size = bytes;
  for (const unit of ["bytes", "kB", "MB", "GB"]) {
    if (size < 1000) return `${unit === "bytes" ? size : size.toPrecision(3)} ${unit}`;
    size /= 1000;
  }
  return `${size.toPrecision(3)} TB`;
}

/** As people of this place read the clock, in a form that sorts; "no time" where it is beyond what a date can be. */
export function localTime(time: number, upTo: "minutes" | "seconds" = "minutes"): string {
  const at = new Date(time);
  if (Number.isNaN(at.getTime())) return "no time";
  const two = (part: number) => String(part).padStart(2, "0");
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  const seconds = upTo === "seconds" ? `:${two(at.getSeconds())}` : "";
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}${seconds}`;
}

/** As ISO 8601; `null` where it is beyond what a date can be. */
export function isoTime(time: number): string | null {
  const at = new Date(time);
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}
