/* Types for callers, separate from the schemas: the package's types must not need our libraries. */

/** A set of blobs in a request. */
export interface BlobScope {
  readonly checkpointId: string | undefined;
  readonly added: readonly string[];
  readonly deleted: readonly string[];
}

/** Names of blobs that the service does not have, or cannot search yet. */
export interface Missing {
  readonly unknown: readonly string[];
  readonly nonindexed: readonly string[];
}
