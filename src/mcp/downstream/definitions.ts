/** What a server declares, untouched: its tools, prompts and resources. */

/** A tool as the server declared it, untouched. */
export interface ToolDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  readonly annotations?: Readonly<Record<string, unknown>>;
  /** `taskSupport`, of protocol 2025-11-25. */
  readonly execution?: Readonly<Record<string, unknown>>;
  readonly _meta?: Readonly<Record<string, unknown>>;
  readonly icons?: readonly unknown[];
}

/** A prompt as the server declared it, untouched. */
export interface PromptDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments?: readonly {
    readonly name: string;
    readonly title?: string;
    readonly description?: string;
    readonly required?: boolean;
  }[];
  readonly _meta?: Readonly<Record<string, unknown>>;
  readonly icons?: readonly unknown[];
}

interface Described {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly annotations?: Readonly<Record<string, unknown>>;
  readonly _meta?: Readonly<Record<string, unknown>>;
  readonly icons?: readonly unknown[];
}

/** A resource as the server declared it, untouched. */
export interface ResourceDefinition extends Described {
  readonly uri: string;
  /** In bytes. */
  readonly size?: number;
}

/** A family of resources as the server declared it, untouched. */
export interface TemplateDefinition extends Described {
  /** RFC 6570. */
  readonly uriTemplate: string;
}

export interface ResourceList {
  readonly resources: readonly ResourceDefinition[];
  readonly templates: readonly TemplateDefinition[];
}
