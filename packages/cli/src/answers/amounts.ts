/** A number of bytes for a person: three digits are enough. */
export function readableSize(bytes: number): string {
  let size = bytes;
  for (const unit of ["bytes", "kB", "MB", "GB"]) {
    if (size < 1000) return `${unit === "bytes" ? size : size.toPrecision(3)} ${unit}`;
    size /= 1000;
  }
  return `${size.toPrecision(3)} TB`;
}

/** A number with its noun. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
