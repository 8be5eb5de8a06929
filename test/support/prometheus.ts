import { createRequire } from 'node:module';

/** A family of metrics, as the parser from npm reads it. */
export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly metrics: readonly { readonly value: string; readonly labels?: Readonly<Record<string, string>> }[];
}

// The package has no types.
export const parsePrometheus = createRequire(import.meta.url)('parse-prometheus-text-format') as (
  text: string,
) => Family[];
