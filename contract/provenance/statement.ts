/**
 * Statements about the origin of versions (in-toto Statement v1) in signed envelopes (DSSE), as the service makes them
 * and the client checks them.
 */
export const statementType = "https://in-toto.io/Statement/v1";
export const slsaPredicate = "https://slsa.dev/provenance/v1";
export const payloadType = "application/vnd.in-toto+json";
export const bundleType = "application/vnd.dev.sigstore.bundle.v0.3+json";

/** Path of our own predicate type, below the address of the service. */
export const publishedPredicatePath = "/.well-known/svc/provenance/published/v1";
export const buildTypePath = "/.well-known/svc/provenance/publish-from-ci/v1";

export interface Subject {
  name: string;
  /** Hexadecimal digests: `sha256` or `gitCommit`. */
  digest: Readonly<Record<string, string>>;
  annotations?: Readonly<Record<string, unknown>>;
}

export interface Statement {
  _type: string;
  subject: Subject[];
  predicateType: string;
  /** One of the two; a statement of others may have neither. */
  predicate: Partial<CiPredicate & PublishedPredicate>;
}

/** Kinds of publishers. `agent`: through MCP, for a person; `import`: from the connected repository. */
export const publisherKinds = ["person", "token", "agent", "import", "anonymous"] as const;
export type PublisherKind = (typeof publisherKinds)[number];

/** A version that a person, a token, an agent or an import has published. */
export interface PublishedPredicate {
  service: string;
  publisher: { kind: PublisherKind; name?: string };
  /** Commit of the connected repository, for an import. */
  importedCommit?: string;
  publishedAt: string;
  /** Time of the signature. */
  signedAt: string;
}

/** A version that a CI pipeline has published by its identity token. */
export interface CiPredicate {
  buildDefinition: {
    buildType: string;
    /** Facts that the pipeline controls, as its verified identity token states them. */
    externalParameters: {
      skill: string;
      version: string;
      source: { repository: string; ref: string; workflow?: string };
    };
    internalParameters: { issuer: string; policy: string };
    resolvedDependencies: { uri: string; digest: { gitCommit: string } }[];
  };
  runDetails: {
    builder: { id: string };
    metadata: { invocationId?: string; startedOn: string; finishedOn: string };
  };
}

/** The bytes that a signature is over: the pre-authentication encoding of DSSE. */
export function signedBytes(payload: Uint8Array): Uint8Array {
  const head = new TextEncoder().encode(
    `DSSEv1 ${payloadType.length} ${payloadType} ${String(payload.length)} `,
  );
  const bytes = new Uint8Array(head.length + payload.length);
  bytes.set(head);
  bytes.set(payload, head.length);
  return bytes;
}

/** Address of the repository whose pipeline has published the version; undefined for other publishers. */
export function builderOf({ predicateType, predicate }: Statement): string | undefined {
  if (predicateType !== slsaPredicate) return undefined;
  return predicate.buildDefinition?.externalParameters?.source?.repository;
}

/** Time of the signature as the statement has it; undefined if it has none. */
export function signedAtOf({ predicate }: Statement): Date | undefined {
  const text = predicate.runDetails?.metadata?.finishedOn ?? predicate.signedAt;
  const at = new Date(typeof text === "string" ? text : NaN);
  return Number.isNaN(at.getTime()) ? undefined : at;
}

const hosts: Readonly<Record<string, string>> = {
  github: "https://github.com/",
  gitlab: "https://gitlab.com/",
};

/** The pattern of a builder as an address; undefined if it has another form than `github:acme/*`. */
export function builderPattern(text: string): string | undefined {
  const [, host, path] = /^(github|gitlab):([^\s/]+(?:\/[^\s/]+)+)$/.exec(text) ?? [];
  if (host !== undefined && path !== undefined) return hosts[host]! + path;
  return /^https?:\/\/[^\s/*]+(?:\/[^\s/]+)+$/.test(text) ? text : undefined;
}

/** Whether a repository is one of a pattern, in which `*` is any text without a slash, and `**` any text. */
export function matchesBuilder(pattern: string, repository: string): boolean {
  const address = builderPattern(pattern);
  if (address === undefined) return false;
  const escaped = address.replace(/[.+?^${}()|[\]\\]/g, "\\$&");
  const expression = escaped.replace(/\*\*|\*/g, (stars) => (stars === "**" ? ".+" : "[^/]+"));
  return new RegExp(`^${expression}$`).test(repository);
}

/** A sentence about the origin, without a point at its end. */
export function describeOrigin({ predicate }: Statement): string {
  const { buildDefinition, publisher, importedCommit = "" } = predicate;
  if (buildDefinition) {
    const { source } = buildDefinition.externalParameters;
    const [dependency] = buildDefinition.resolvedDependencies;
    const commit = dependency ? ` from commit ${dependency.digest.gitCommit.slice(0, 8)}` : "";
    const workflow = source.workflow === undefined ? "" : ` by ${source.workflow}`;
    return `Built in ${source.repository.replace(/^https?:\/\//, "")}${workflow}${commit} on ${source.ref}`;
  }
  const name = publisher?.name;
  const sentences: Record<PublisherKind, string> = {
    person: `Published by ${name ?? "a person"}`,
    token: `Published with the token ${name ?? "of the organization"}`,
    agent: `Published by an agent for ${name ?? "a person"}`,
    import: `Imported from commit ${importedCommit.slice(0, 8)} of the connected repository`,
    anonymous: "Published without an account",
  };
  return sentences[publisher?.kind ?? "anonymous"];
}
