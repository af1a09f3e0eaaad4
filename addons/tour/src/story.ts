/** The file of the tour and what happens to it, each state written out, so that bytes can be compared. */
export const file = "cart.ts";

export const cart = `export interface Item {
  readonly price: number;
  readonly grams: number;
  readonly count: number;
}

export function totalPrice(items: readonly Item[]): number {
  let sum = 0;
  for (const item of items) {
    sum += item.price;
  }
  return sum;
}

export function totalGrams(items: readonly Item[]): number {
  let sum = 0;
  for (const item of items) {
    sum += item.grams;
  }
  return sum;
}
`;

const rules = `# Rules

- A total counts pieces: what an item has, times its count.
`;

/** What lies in the folder. */
export const files = { [file]: cart, "rules.md": rules } as const;

/** Both headers are wrong: the hunks stand at lines 9 and 17. */
export const twoHunks = `--- a/cart.ts
+++ b/cart.ts
@@ -31,3 +31,3 @@
   for (const item of items) {
-    sum += item.price;
+    sum += item.price * item.count;
   }
@@ -52,3 +52,3 @@
   for (const item of items) {
-    sum += item.grams;
+    sum += item.grams * item.count;
   }
`;

export const patched = cart
  .replace("item.price;", "item.price * item.count;")
  .replace("item.grams;", "item.grams * item.count;");

const price = "  readonly price: number;\n";
const priceByHand = "  readonly price: number; // in cents\n";

/** Somebody changes a line that the next hunk names. */
export const editedByHand = patched.replace(price, priceByHand);

export const staleHunk = `@@ -1,5 +1,6 @@
 export interface Item {
+  readonly name: string;
   readonly price: number;
   readonly grams: number;
   readonly count: number;
 }
`;

/** The same from the state that is there now. */
export const freshHunk = staleHunk.replace(` ${price}`, ` ${priceByHand}`);

export const recovered = editedByHand.replace(priceByHand, `  readonly name: string;\n${priceByHand}`);

export const ambiguousHunk = `@@
-  let sum = 0;
+  let sum = 0.0;
`;

/** Where the line of the ambiguous hunk stands in \`recovered\`. */
export const ambiguousLines = [9, 17] as const;

/** The task. */
export const roundingHunk = `@@
   for (const item of items) {
     sum += item.price * item.count;
   }
-  return sum;
+  return Math.ceil(sum);
`;

export const roundedUp = editedByHand.replace("  return sum;\n", "  return Math.ceil(sum);\n");
