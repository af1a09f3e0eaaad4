/**
 * What `highlight.ts` uses of lowlight. Its own types bring those of a browser along, which would then be there in every
 * file; the compiler is sent here by `paths`.
 */
export type Child =
  | { readonly type: "text"; readonly value: string }
  | {
      readonly type: "element";
      readonly properties: { readonly className?: unknown };
      readonly children: readonly Child[];
    }
  | { readonly type: "comment" | "doctype" };

export interface Lowlight {
  highlight(language: string, code: string): { readonly children: readonly Child[] };
  registered(language: string): boolean;
}

export const common: object;
export function createLowlight(grammars: object): Lowlight;
