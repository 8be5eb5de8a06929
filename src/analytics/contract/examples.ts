import type { Metrics } from './fields.ts';

/* Values of the examples in the OpenAPI document. */

export const exampleMetrics: Metrics = {
  total_modified_lines_of_code: 412,
  total_messages: 38,
  total_tool_calls: 57,
  completions_count: 240,
  completions_accepted: 96,
  completions_lines_of_code: 130,
  completions_suggested_lines_of_code: 390,
  chat_messages: 12,
  remote_agent_messages: 0,
  remote_agent_lines_of_code: 0,
  ide_agent_messages: 20,
  ide_agent_lines_of_code: 250,
  cli_agent_interactive_messages: 6,
  cli_agent_interactive_lines_of_code: 32,
  cli_agent_non_interactive_messages: 0,
  cli_agent_non_interactive_lines_of_code: 0,
};
export const exampleRange = {
  effective_start_date: '2026-11-14',
  effective_end_date: '2026-11-20',
  generated_at: '2026-11-21T09:30:00Z',
};
export const exampleDay = { effective_date: '2026-11-20', generated_at: '2026-11-21T09:30:00Z' };
export const lastPage = { next_cursor: '', has_more: false };
