import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import { NAME } from '../../webhooks/names.ts';
import { checked, withJson } from '../admin/adminPlane.ts';
import { httpErrors } from '../http/errors.ts';
import type { Resource } from '../http/exchange.ts';
import { MAX_DEFINITION_BYTES, type Plane } from './plane.ts';

const MAX_EXPERTS = 100;
const MAX_RESULT = 200_000;
const NO_RUN = 'run of this window any more';
/** The longest answer and error that are stored with an event. */
const LONGEST = { answer: 16_000, error: 2_000 };

const attachment = z.strictObject({
  window: z._default(z.string('window must be a string'), () => randomUUID()),
  experts: z
    .array(
      z.strictObject({
        name: z.string('name must be a string').check(z.regex(NAME, 'name must be that of an expert')),
        does: z.string('does must be a string').check(z.maxLength(300, 'does must have at most 300 characters')),
      }),
      'experts must be an array',
    )
    .check(z.minLength(1, 'experts must not be empty'), z.maxLength(MAX_EXPERTS, `experts are at most ${MAX_EXPERTS}`)),
});

const result = z.strictObject({
  ok: z.boolean('ok must be true or false'),
  answer: z.optional(z.string('answer must be a string')),
  error: z.optional(z.string('error must be a string')),
  retry: z._default(z.boolean('retry must be true or false'), true),
});

/** `/__admin/editor`: a window of an editor gets the runs of these experts for as long as it reads the answer. */
export function editorResources({ service: { definitions, windows }, resource }: Plane): Resource[] {
  return [
    resource('editor', {
      POST: withJson((body, exchange) => {
        const { window, experts } = checked(attachment, body);
        for (const { name } of experts)
          if (definitions.expert(name)?.type !== 'editor')
            throw httpErrors.badRequest(`${name} is no expert of the type editor`);
        const work = new Map(experts.map(({ name, does }) => [name, does]));
        const messages = windows.attach(window, work, exchange.gone());
        return { contentType: 'application/x-ndjson', lines: asLines(messages) };
      }, MAX_DEFINITION_BYTES),
    }),
    resource('editor/runs/{id}/begin', {
      POST: {
        handle: ({ parameters: { id = '' } }) => {
          if (!windows.begin(id)) throw httpErrors.notFound(NO_RUN);
          return { json: {} };
        },
      },
    }),
    resource('editor/runs/{id}', {
      POST: withJson((body, { parameters: { id = '' } }) => {
        const { answer, error, ...rest } = checked(result, body);
        const cut = { answer: answer?.slice(0, LONGEST.answer), error: error?.slice(0, LONGEST.error) };
        if (!windows.finish(id, { ...rest, ...cut })) throw httpErrors.notFound(NO_RUN);
        return { json: {} };
      }, MAX_RESULT),
    }),
  ];
}

async function* asLines(messages: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const message of messages) yield JSON.stringify(message);
}
