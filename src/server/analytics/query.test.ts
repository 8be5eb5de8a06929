import assert from 'node:assert/strict';
import fc from 'fast-check';
import { endpoints } from '../../analytics/contract.ts';
import { checkRequest } from '../../analytics/validate.ts';
import type { HttpExchange } from '../http/exchange.ts';
import { readJson, readQuery } from './query.ts';

const NAMES = ['start_date', 'end_date', 'cursor', 'other'];

describe('page_size', () => {
  it('may be any whole number, in a query and in JSON', () => {
    for (const digits of ['1', '999', '9'.repeat(309), '9'.repeat(310), '9'.repeat(2000)]) {
      const query: Partial<HttpExchange> = { query: `page_size=${digits}` };
      const values = [
        readQuery(endpoints.dau, query as HttpExchange),
        readJson(Buffer.from(`{"page_size":${digits}}`)),
      ];
      for (const { page_size } of values) assert.ok(checkRequest('dau', { page_size }).page_size! >= 1, digits);
    }
    assert.ok(checkRequest('costAnalytics', readJson(Buffer.from('{"page_size":1e400}'))).page_size! > 1e6);
    assert.throws(() => checkRequest('costAnalytics', readJson(Buffer.from('{"page_size":-1e400}'))), /at least 1/);
  });
});

describe('readQuery', () => {
  it('takes a query apart as URLSearchParams does, whether there is something to decode or not', () => {
    const character = fc.constantFrom(...'ab1-_.==&&%+ ñ'.split(''), '%41', '%C3%B1', '%zz', 'start_date=', 'cursor=');
    const query = fc.array(character, { maxLength: 12 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(query, (text) => {
        const warnings: string[] = [];
        const exchange = {
          query: text,
          warn: (message) => void warnings.push(message),
        } as Partial<HttpExchange> as HttpExchange;
        const values = readQuery(endpoints.userActivity, exchange);
        const expected = [...new URLSearchParams(text)];
        for (const name of NAMES.slice(0, 3)) {
          const all = expected.filter(([one]) => one === name).map(([, value]) => value);
          if (all.length < 2) assert.equal(values[name], all[0]);
          else assert.notEqual(typeof values[name], 'string');
        }
        const unknown = expected.filter(([name]) => !Object.hasOwn(endpoints.userActivity.request.shape, name));
        assert.equal(warnings.length, unknown.length);
      }),
    );
  });
});
