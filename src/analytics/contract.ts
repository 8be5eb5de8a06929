/* The analytics API as data: fields, enums, limits, page sizes, rate limits and messages of the nine endpoints. It
   yields the types, the server's validation, the client's parsing and the OpenAPI document. Sources: sections 2 to 8 of
   the specification; open points are decided here and documented in docs/local-server.md. */

export * from './contract/terms.ts';
export * from './contract/endpoints.ts';
export {
  type BudgetOverride,
  type CostMetrics,
  errorBody,
  type GroupByValues,
  METRIC_FIELDS,
  type MetricField,
  METRICS,
  type Metrics,
  type OverrideEntry,
  overrideSettings,
  type PageSizes,
  REPEATED,
  TOKEN_FIELDS,
  type TokenField,
  type UserInfo,
} from './contract/fields.ts';
