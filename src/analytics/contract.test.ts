import assert from 'node:assert/strict';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import fc from 'fast-check';
import * as z from 'zod/mini';
import { times } from '../../test/support/runs.ts';
import { BUDGET_LIMIT, endpoints, GROUP_BY_KEYS, messages, METRIC_FIELDS, type EndpointName } from './contract.ts';
import { openApiDocument } from './openapi.ts';
import { checkRequest, parseResponse } from './validate.ts';

const NAMES = Object.keys(endpoints) as EndpointName[];

describe('the contract of the analytics API', () => {
  it('has nine endpoints with valid examples', () => {
    assert.equal(NAMES.length, 9);
    assert.equal(METRIC_FIELDS.length, 16);
    for (const name of NAMES) {
      const { request, response } = endpoints[name].example;
      assert.deepEqual(checkRequest(name, request), request, name);
      assert.deepEqual(parseResponse(name, response), response, name);
    }
  });

  it('yields an OpenAPI 3.1 document that passes the linter, examples included', async () => {
    const config = await createConfig({
      extends: ['recommended-strict'],
      rules: {
        'no-server-example.com': 'off',
        'no-invalid-media-type-examples': 'error',
        'no-invalid-parameter-examples': 'error',
      },
    });
    const source = JSON.stringify(openApiDocument('http://127.0.0.1:4000', '1.2.3'));
    const problems = await lintFromString({ source, config });
    assert.deepEqual(
      problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`),
      [],
    );
  });

  it('lists in it the answers of a server that cannot write', () => {
    const { paths } = openApiDocument('http://127.0.0.1:4000', '1.2.3') as {
      paths: Record<string, Record<string, { responses: object }>>;
    };
    for (const { path, method, scope } of Object.values(endpoints)) {
      const { responses } = paths[path]![method.toLowerCase()]!;
      assert.ok('503' in responses, path);
      assert.equal('507' in responses, scope === 'budgets:write', path);
    }
  });

  it('requires in it a body of each POST, since one without a Content-Type is refused', () => {
    const { paths } = openApiDocument('http://127.0.0.1:4000', '1.2.3') as {
      paths: Record<string, Record<string, { requestBody?: { required: boolean } }>>;
    };
    for (const { path, method } of Object.values(endpoints))
      assert.equal(paths[path]![method.toLowerCase()]!.requestBody?.required, method === 'POST' ? true : undefined);
  });

  it('makes the linter reject a wrong example', async () => {
    const config = await createConfig({ rules: { 'no-invalid-media-type-examples': 'error' } });
    const source = JSON.stringify(openApiDocument('http://127.0.0.1:4000', '1.2.3')).replace(
      '"user_count":41',
      '"user_count":"41"',
    );
    const problems = await lintFromString({ source, config });
    assert.equal(problems.length, 1);
  });

  it('accepts as a limit a positive integer of up to 18 digits, written as one, or empty', () => {
    const nearly = fc.oneof(
      fc.bigInt({ min: -10n, max: 10n ** 20n }).map(String),
      fc.string({ unit: fc.constantFrom('0', '1', '9', ' ', '.', 'e', '-', '+', '٣'), maxLength: 20 }),
    );
    fc.assert(
      fc.property(nearly, (limit) => {
        const isNumber = /^\d+$/.test(limit) && String(BigInt(limit)) === limit;
        const isLimit = limit === '' || (isNumber && BigInt(limit) > 0n && BigInt(limit) < 10n ** 18n);
        assert.equal(BUDGET_LIMIT.test(limit), isLimit, limit);
      }),
      { numRuns: times(1000) },
    );
    assert.ok(!BUDGET_LIMIT.test('5\n'));
  });

  it('refuses with the message of the first invalid parameter', () => {
    const refused = (name: EndpointName, request: unknown, message: string): void =>
      assert.throws(() => checkRequest(name, request), { code: 'InvalidArgument', message });
    refused('dau', { page_size: 0 }, 'page_size must be an integer of at least 1');
    refused('dau', { page_size: 1.5, cursor: 5 }, 'cursor must be a string');
    refused('creditUsageByUser', { by_date: 'yes' }, 'by_date must be true or false');
    refused('costAnalytics', { page_size: '5' }, 'page_size must be an integer of at least 1');
    refused('costAnalytics', { page_size: 0, extra: 1 }, 'invalid query parameters: extra');
    refused('costAnalytics', JSON.parse('{"__proto__": 1, "b": 2}'), 'invalid query parameters: __proto__, b');
    refused('costAnalytics', { filters: { names: [] } }, 'invalid query parameters: filters.names');
    refused('costAnalytics', { filters: [] }, 'filters must be an object');
    refused('costAnalytics', { filters: { user_emails: 'a' } }, 'filters.user_emails must be an array of strings');
    refused('costAnalytics', { filters: { expert_ids: ['a', 1] } }, 'filters.expert_ids must be an array of strings');
    refused('costAnalytics', { group_by_keys: 'x' }, 'group_by_keys must be an array of strings');
    refused(
      'costAnalytics',
      { group_by_keys: ['COST_ANALYTICS_GROUP_BY_TEAM'], granularity: 'x' },
      messages.oneOf('group_by_keys', GROUP_BY_KEYS),
    );
    refused(
      'getUserBudgetOverrides',
      { resource: 'CREDITS' },
      messages.oneOf('resource', ['BUDGET_RESOURCE_CREDITS_CONSUMED', 'BUDGET_RESOURCE_USD_COST']),
    );
    assert.deepEqual(checkRequest('costAnalytics', { cursor: null, filters: null }), { cursor: null, filters: null });
  });

  it('refuses long lists of invalid items at once, whichever they are', () => {
    for (const wrong of [0, null, [], {}, 'last']) {
      const list: unknown[] = new Array(1_000_000).fill(wrong === 'last' ? 'a' : wrong);
      list.push(5);
      for (const field of ['user_emails', 'service_account_names', 'product_names', 'resource_names', 'expert_ids'])
        assert.throws(() => checkRequest('costAnalytics', { filters: { [field]: list } }), {
          code: 'InvalidArgument',
          message: `filters.${field} must be an array of strings`,
        });
      for (const field of ['user_emails', 'service_account_names'])
        assert.throws(() => checkRequest('getUserBudgetOverrides', { [field]: list }), {
          message: `${field} must be an array of strings`,
        });
      assert.throws(() => checkRequest('costAnalytics', { group_by_keys: list }), {
        message: messages.oneOf('group_by_keys', GROUP_BY_KEYS),
      });
    }
  });

  it('describes lists as arrays of strings', () => {
    const { shape } = endpoints.costAnalytics.request;
    const { anyOf } = z.toJSONSchema(shape.group_by_keys, { io: 'input', unrepresentable: 'any' }) as {
      anyOf: Record<string, unknown>[];
    };
    const { description: _, ...list } = anyOf[0]!;
    assert.deepEqual(list, { type: 'array', items: { type: 'string', enum: [...GROUP_BY_KEYS] } });
  });

  it('explains to a client why an answer is invalid', () => {
    assert.throws(() => parseResponse('dau', { users: [{}], pagination: {}, metadata: {} }), {
      code: 'UnexpectedResponse',
      message: /\(users\[0\]: .*\)\. Check that the address is that of the API\.$/,
    });
    assert.throws(() => parseResponse('dau', null), /is not what it should be \(Invalid input.*\)\. Check/);
    const { response } = endpoints.costAnalytics.example;
    const [point] = response.data_points;
    const answered = (cost_metrics: object): unknown => ({
      ...response,
      data_points: [{ ...point, cost_metrics: { ...point?.cost_metrics, ...cost_metrics } }],
    });
    assert.ok(parseResponse('costAnalytics', answered({ base_cost_usd: '-0.00001', more: 'later' })));
    for (const wrong of [{ base_cost_usd: 1 }, { base_cost_usd: '1e3' }, { input_tokens: '12' }, { input_tokens: 1.5 }])
      assert.throws(() => parseResponse('costAnalytics', answered(wrong)), /UnexpectedResponse|cost_metrics/);
  });
});
