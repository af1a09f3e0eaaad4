/**
 * The names of Genkit that `genkit.ts` uses, so that the house builds without its 300 MB. This file is not
 * shipped: there the import means the real package, against which `examples/genkit` checks `genkit.ts`.
 */
declare module "genkit" {
  namespace z {
    interface ZodType<Output = unknown> {
      readonly _output: Output;
      describe(description: string): this;
      optional(): ZodType<Output | undefined>;
    }
    type infer<Schema extends ZodType> = Schema["_output"];
    function string(): ZodType<string>;
    function boolean(): ZodType<boolean>;
    function object<Shape extends Record<string, ZodType>>(
      shape: Shape,
    ): ZodType<{ [Key in keyof Shape]: Shape[Key]["_output"] }>;
  }

  interface Part {
    readonly text?: string | undefined;
    readonly media?: { readonly url: string; readonly contentType?: string | undefined } | undefined;
    readonly toolResponse?: ToolResponse | undefined;
    readonly metadata?: Record<string, unknown> | undefined;
  }

  interface ToolResponse {
    readonly name: string;
    readonly ref?: string | undefined;
    readonly output?: unknown;
  }

  interface ToolRequestPart {
    readonly toolRequest: {
      readonly name: string;
      readonly ref?: string | undefined;
      readonly input?: unknown;
    };
    readonly metadata?: Record<string, unknown> | undefined;
  }

  interface ToolResponsePart extends Part {
    readonly toolResponse: ToolResponse;
  }

  interface MessageData {
    readonly role: "system" | "user" | "model" | "tool";
    readonly content: Part[];
  }

  interface ToolAction {
    readonly __action: { readonly name: string };
  }

  interface Requested {
    readonly messages: MessageData[];
  }

  interface Envelope {
    readonly request: Requested;
    readonly currentTurn: number;
    readonly messageIndex: number;
  }

  interface ActionRunOptions {
    onChunk?: ((chunk: { role: MessageData["role"]; index: number; content: Part[] }) => void) | undefined;
  }

  type Hook<Input, Output> = (
    input: Input,
    context: ActionRunOptions,
    next: (input: Input, context: ActionRunOptions) => Promise<Output>,
  ) => Promise<Output>;

  interface GenerateMiddlewareDef {
    generate?: Hook<Envelope, object>;
    model?: Hook<Requested, object>;
    tool?: Hook<ToolRequestPart, ToolResponsePart | undefined>;
    tools?: ToolAction[];
  }

  interface GenerateMiddleware<Schema extends z.ZodType> {
    (config?: z.infer<Schema>): { readonly name: string; readonly config?: unknown };
    readonly instantiate: (options: {
      readonly config: z.infer<Schema> | undefined;
    }) => GenerateMiddlewareDef;
  }

  function generateMiddleware<_PluginOptions, Schema extends z.ZodType>(
    options: { readonly name: string; readonly description: string; readonly configSchema: Schema },
    instantiate: (options: { readonly config: z.infer<Schema> | undefined }) => GenerateMiddlewareDef,
  ): GenerateMiddleware<Schema>;

  function tool(
    config: { readonly name: string; readonly description: string; readonly inputJsonSchema: object },
    run: (input: unknown) => Promise<unknown>,
  ): ToolAction;

  class ToolInterruptError extends Error {
    constructor(metadata?: Record<string, unknown>);
  }
}
