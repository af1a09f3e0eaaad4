/** A Standard Schema that can tell its JSON Schema. */
export interface ArgumentSchema {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: "holdfast";
    readonly validate: (value: unknown) => { readonly value: unknown };
    readonly jsonSchema: {
      readonly input: () => Record<string, unknown>;
      readonly output: () => Record<string, unknown>;
    };
  };
}

/** Everything passes: `runTool` judges the arguments, and its refusals are written for the model. */
export function argumentSchema(published: Record<string, unknown>): ArgumentSchema {
  const tell = () => published;
  return {
    "~standard": {
      version: 1,
      vendor: "holdfast",
      validate: (value) => ({ value }),
      jsonSchema: { input: tell, output: tell },
    },
  };
}
