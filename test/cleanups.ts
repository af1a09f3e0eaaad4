/**
 * What tests leave behind, to be cleared away. In the pure part the modules of a worker are shared by its files, so a hook
 * of a module would belong to the first file that imports it; `setup.ts` runs for each file.
 */
type Cleaning = () => unknown;

const ofTest: Cleaning[] = [];
const ofFile: Cleaning[] = [];

/** Clears away after the test that runs now, the last thing first. */
export function afterThisTest(clean: Cleaning): void {
  ofTest.push(clean);
}

/** Clears away after the file of tests that runs now, the last thing first. */
export function afterThisFile(clean: Cleaning): void {
  ofFile.push(clean);
}

/** Called by `setup.ts` after each test. */
export const clearTest = () => clear(ofTest);

/** Called by `setup.ts` after each file. */
export const clearFile = () => clear(ofFile);

async function clear(cleanings: Cleaning[]): Promise<void> {
  for (const clean of cleanings.splice(0).reverse()) await clean();
}
