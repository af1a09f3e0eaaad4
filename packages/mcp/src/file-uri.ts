/** The URI of a file by its path, which may count from the first root. */
export function pathToFileUri(roots: readonly string[], path: string): string {
  const uri = new URL("file:///");
  uri.pathname = absolute(roots, path);
  return uri.href;
}

/** The absolute path of one that counts from the first root. */
export function absolute(roots: readonly string[], path: string): string {
  if (path.startsWith("/")) return path;
  return path === "." || path === "" ? (roots[0] ?? "") : `${roots[0] ?? ""}/${path.replace(/^(\.\/)+/, "")}`;
}
