/** What we use of the library. Its own types bring those of a browser with them, which no terminal has. */
declare module "highlight.js/lib/core" {
  export interface Emitter {
    startScope(name: string): void;
    endScope(): void;
    openNode(name: string): void;
    closeNode(): void;
    addText(text: string): void;
    __addSublanguage(emitter: Emitter, name: string): void;
    finalize(): void;
    toHTML(): string;
  }
  export interface Engine {
    newInstance(): Engine;
    configure(options: { readonly __emitter: new () => Emitter }): void;
    registerLanguage(name: string, grammar: unknown): void;
    getLanguage(name: string): unknown;
    highlight(
      code: string,
      options: { readonly language: string; readonly ignoreIllegals: boolean },
    ): { readonly _emitter: Emitter; readonly errorRaised?: Error };
  }
  const core: Engine;
  export default core;
}

declare module "highlight.js/lib/languages/*" {
  const grammar: unknown;
  export default grammar;
}
