import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parsePrometheus } from '../../test/support/prometheus.ts';
import { openMetricsText, type Gauge } from './openMetrics.ts';

describe('openMetricsText', () => {
  it('writes the type, unit and help of each family, and the end', () => {
    const gauges: Gauge[] = [
      { name: 'a_seconds', help: 'A "time" \\ more.', unit: 'seconds', samples: [{ value: 1.5 }] },
      { name: 'b', help: 'B.', samples: [{ labels: { k: 'x"y\\z\nw', l: '' }, value: '0.1' }] },
      { name: 'unknown', help: 'No sample.', samples: [] },
    ];
    assert.equal(
      openMetricsText(gauges),
      String.raw`# TYPE a_seconds gauge
# UNIT a_seconds seconds
# HELP a_seconds A \"time\" \\ more.
a_seconds 1.5
# TYPE b gauge
# HELP b B.
b{k="x\"y\\z\nw",l=""} 0.1
# EOF
`,
    );
  });

  it('is read back by a Prometheus parser, whatever the labels are', () => {
    const samples = fc.uniqueArray(fc.record({ name: fc.string({ unit: 'binary' }), value: fc.nat() }), {
      selector: ({ name }) => name,
      minLength: 1,
    });
    fc.assert(
      fc.property(samples, (all) => {
        const text = openMetricsText([
          { name: 'a', help: 'A.', samples: all.map(({ name, value }) => ({ labels: { name }, value })) },
        ]);
        const [family, ...rest] = parsePrometheus(text);
        assert.equal(rest.length, 0);
        assert.deepEqual(
          family!.metrics.map(({ labels, value }) => [labels?.name, value]),
          all.map(({ name, value }) => [name, String(value)]),
        );
      }),
    );
  });
});
