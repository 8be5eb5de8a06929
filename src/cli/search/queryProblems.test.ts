import { assertGolden } from '../../../test/support/golden.ts';
import { parseQueryLanguage } from '../../engine/query/queryLanguage.ts';
import { formatProblems } from './queryProblems.ts';

const QUERIES = [
  'path:[ retry',
  'retry file:*.{ts,tsx payment',
  'path:lib/[z-a]*',
  'file:*a*b*c*d*e*f*g*h*',
  'file:src/net/socket.ts',
  'retry -lang: path:""',
  'lang:pyhton retry',
  'lang:ja retry',
  'lang:klingon retry',
  'pth:src/net retry',
  'language:go symbol:Run',
  'kind:function repo:acme/shop case:yes retry',
  'retry "failed payment',
  'path:"my dir retry',
  '"" retry',
  '検索 😀 lang:x\tpath:[',
];

describe('formatProblems', () => {
  it('marks the place of each problem and gives advice', () => {
    const shown = QUERIES.map((query) => formatProblems(query, parseQueryLanguage(query).problems));
    assertGolden('query-problems.txt', shown.join('\n'));
  });
});
