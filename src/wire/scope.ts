/* Shapes that callers see, apart from the schemas: the package's types need no library of ours. */

/** A set of blobs, as requests carry it. */
export interface Scope {
  readonly checkpointId: string | undefined;
  readonly added: readonly string[];
  readonly deleted: readonly string[];
}

/** Names of blobs that the service has not, or cannot search yet. */
export interface Missing {
  readonly unknown: readonly string[];
  readonly nonindexed: readonly string[];
}
