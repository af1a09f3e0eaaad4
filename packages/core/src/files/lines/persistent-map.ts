/**
 * An immutable map with string keys whose versions share what they have in common: a hash array mapped trie
 * (Bagwell, "Ideal Hash Trees", 2001). A change costs a few small copies, however large the map is.
 * Iteration is in no order that means anything.
 */
export class PersistentMap<Value> implements Iterable<readonly [string, Value]> {
  private constructor(
    private count: number,
    private readonly root: Branch<Value>,
    private readonly edit?: InPlaceEdit,
  ) {}

  get size(): number {
    return this.count;
  }

  static empty<Value>(): PersistentMap<Value> {
    return new PersistentMap<Value>(0, { kind: "branch", bitmap: 0, children: [], edit: undefined });
  }

  get(key: string): Value | undefined {
    const hash = hashOf(key);
    let node: Trie<Value> | undefined = this.root;
    for (let shift = 0; node !== undefined && node.kind === "branch"; shift += 5) {
      const bit = bitOf(hash, shift);
      node = (node.bitmap & bit) === 0 ? undefined : node.children[indexOf(node.bitmap, bit)];
    }
    if (node === undefined) return undefined;
    if (node.kind === "leaf") return node.key === key ? node.value : undefined;
    return node.kind === "collision" ? node.leaves.find((leaf) => leaf.key === key)?.value : undefined;
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  /**
   * @param edit a token of whoever builds a map in many steps: what was made under the same token is
   *   changed in place, so maps between the steps must not be kept.
   */
  set(key: string, value: Value, edit?: InPlaceEdit): PersistentMap<Value> {
    const change: EntryChange<Value> = { hash: hashOf(key), key, value, edit, grown: false };
    const root = setIn(this.root, 0, change);
    if (root !== this.root || (edit !== undefined && this.edit !== edit))
      return new PersistentMap(this.count + (change.grown ? 1 : 0), root, edit);
    if (change.grown) this.count += 1;
    return this;
  }

  delete(key: string): PersistentMap<Value> {
    if (!this.has(key)) return this;
    const root = deleteIn(this.root, 0, hashOf(key), key);
    const emptied = root?.kind === "branch" ? root : undefined;
    return emptied === undefined ? PersistentMap.empty() : new PersistentMap(this.size - 1, emptied);
  }

  *[Symbol.iterator](): Generator<readonly [string, Value]> {
    yield* entriesOf(this.root);
  }

  *keys(): Generator<string> {
    for (const [key] of this) yield key;
  }

  *values(): Generator<Value> {
    for (const [, value] of this) yield value;
  }
}

/** Whoever holds the same token may change what was made under it. */
export interface InPlaceEdit {
  readonly edit: true;
}

type Trie<Value> = Branch<Value> | Leaf<Value> | Collision<Value>;

interface Branch<Value> {
  readonly kind: "branch";
  bitmap: number;
  readonly children: Trie<Value>[];
  readonly edit: InPlaceEdit | undefined;
}

interface Leaf<Value> {
  readonly kind: "leaf";
  readonly hash: number;
  readonly key: string;
  readonly value: Value;
}

/** Keys that have the same hash. */
interface Collision<Value> {
  readonly kind: "collision";
  readonly hash: number;
  readonly leaves: readonly Leaf<Value>[];
}

interface EntryChange<Value> {
  readonly hash: number;
  readonly key: string;
  readonly value: Value;
  readonly edit: InPlaceEdit | undefined;
  grown: boolean;
}

function setIn<Value>(node: Branch<Value>, shift: number, change: EntryChange<Value>): Branch<Value> {
  const bit = bitOf(change.hash, shift);
  const at = indexOf(node.bitmap, bit);
  if ((node.bitmap & bit) === 0) {
    change.grown = true;
    const own = owned(node, change.edit);
    own.bitmap |= bit;
    own.children.splice(at, 0, leafOf(change));
    return own;
  }
  const child = node.children[at];
  if (child === undefined) throw new Error("the bitmap of a trie and its children differ");
  const next = child.kind === "branch" ? setIn(child, shift + 5, change) : merge(child, shift + 5, change);
  if (next === child) return node;
  const own = owned(node, change.edit);
  own.children[at] = next;
  return own;
}

function merge<Value>(
  found: Leaf<Value> | Collision<Value>,
  shift: number,
  change: EntryChange<Value>,
): Trie<Value> {
  if (found.hash !== change.hash) return split(found, shift, change);
  if (found.kind === "leaf" && found.key === change.key)
    return found.value === change.value ? found : leafOf(change);
  const leaves = found.kind === "leaf" ? [found] : found.leaves;
  const at = leaves.findIndex(({ key }) => key === change.key);
  if (at >= 0 && leaves[at]?.value === change.value) return found;
  if (at < 0) change.grown = true;
  const next = at < 0 ? [...leaves, leafOf(change)] : leaves.with(at, leafOf(change));
  return { kind: "collision", hash: found.hash, leaves: next };
}

function split<Value>(
  found: Leaf<Value> | Collision<Value>,
  shift: number,
  change: EntryChange<Value>,
): Branch<Value> {
  const bit = bitOf(found.hash, shift);
  return setIn({ kind: "branch", bitmap: bit, children: [found], edit: change.edit }, shift, change);
}

function deleteIn<Value>(
  node: Trie<Value>,
  shift: number,
  hash: number,
  key: string,
): Trie<Value> | undefined {
  if (node.kind === "leaf") return node.key === key ? undefined : node;
  if (node.kind === "collision") {
    const leaves = node.leaves.filter((leaf) => leaf.key !== key);
    return leaves.length === 1 ? leaves[0] : { kind: "collision", hash, leaves };
  }
  const bit = bitOf(hash, shift);
  const at = indexOf(node.bitmap, bit);
  const child = node.children[at];
  if ((node.bitmap & bit) === 0 || child === undefined) return node;
  const next = deleteIn(child, shift + 5, hash, key);
  if (next !== undefined) return { ...node, children: node.children.with(at, next), edit: undefined };
  if (node.children.length === 1) return undefined;
  return {
    kind: "branch",
    bitmap: node.bitmap & ~bit,
    children: node.children.toSpliced(at, 1),
    edit: undefined,
  };
}

function* entriesOf<Value>(node: Trie<Value>): Generator<readonly [string, Value]> {
  if (node.kind === "leaf") yield [node.key, node.value];
  else for (const child of node.kind === "collision" ? node.leaves : node.children) yield* entriesOf(child);
}

function leafOf<Value>({ hash, key, value }: EntryChange<Value>): Leaf<Value> {
  return { kind: "leaf", hash, key, value };
}

function owned<Value>(node: Branch<Value>, edit: InPlaceEdit | undefined): Branch<Value> {
  if (edit !== undefined && node.edit === edit) return node;
  return { kind: "branch", bitmap: node.bitmap, children: [...node.children], edit };
}

/** Past the last bits of the hash there are only leaves with the same hash, so this never wraps round. */
function bitOf(hash: number, shift: number): number {
  return 1 << ((hash >>> shift) & 31);
}

/** How many children stand before the bit. */
function indexOf(bitmap: number, bit: number): number {
  let ones = bitmap & (bit - 1);
  ones -= (ones >>> 1) & 0x55555555;
  ones = (ones & 0x33333333) + ((ones >>> 2) & 0x33333333);
  return (((ones + (ones >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}

/** The two keys that were hashed last: one node after the other asks for itself and for the one above it. */
let lastKey = "";
let lastHash = computedHash("");
let earlierKey = "";
let earlierHash = lastHash;

function hashOf(key: string): number {
  if (key === lastKey) return lastHash;
  if (key === earlierKey) return earlierHash;
  earlierKey = lastKey;
  earlierHash = lastHash;
  lastKey = key;
  lastHash = computedHash(key);
  return lastHash;
}

/**
 * FNV-1a over the UTF-16 units, then mixed, since neighbouring ids differ in their last letters only. Signed: a
 * number of 31 bits needs no memory of its own.
 */
function computedHash(key: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at += 1) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) | 0;
}
