import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import fc from 'fast-check';
import { times } from '../../test/support/runs.ts';
import { schemeOf, signatureHeaders, signatureProblem, signedUrl } from './signatures.ts';

// Only the modules that check signatures: the whole clients of Slack and Twilio take seconds to load.
const load = createRequire(import.meta.url);
const { verifySlackRequest } = load('@slack/bolt/dist/receivers/verify-request.js') as {
  readonly verifySlackRequest: (request: {
    readonly signingSecret: string;
    readonly body: string;
    readonly headers: Readonly<Record<string, unknown>>;
    readonly nowMilliseconds: number;
  }) => void;
};
type Fields = Readonly<Record<string, string | readonly string[]>>;
const twilio = load('twilio/lib/webhooks/webhooks.js') as {
  readonly getExpectedTwilioSignature: (token: string, url: string, fields: Fields) => string;
  readonly validateRequest: (token: string, signature: string, url: string, fields: Fields) => boolean;
  readonly validateRequestWithBody: (token: string, signature: string, url: string, body: string) => boolean;
};

const NOW = Date.UTC(2026, 10, 21, 9);
const FORM = 'application/x-www-form-urlencoded';
const scheme = schemeOf({ type: 'twilio' })!;
const HEADER = 'x-twilio-signature';
const secrets = fc.stringMatching(/^[!-~]{8,40}$/);

/** Why a delivery of Twilio is refused. */
function problem(token: string, url: string, signature: string, body: string, contentType = FORM): string | undefined {
  const { host, pathname, search } = new URL(url);
  const headers = { host, [HEADER]: signature, 'content-type': contentType };
  return signatureProblem(scheme, headers, Buffer.from(body), [token], NOW, `${pathname}${search}`);
}

describe("Slack's own library", () => {
  it('accepts our signatures of any body, and refuses those of another', () => {
    const slack = schemeOf({ type: 'slack' })!;
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), secrets, (body, secret) => {
        const signed = Object.fromEntries(
          signatureHeaders(slack, secret, Buffer.from(body), NOW).map(([name, value]) => [name.toLowerCase(), value]),
        );
        const headers = { ...signed, 'x-slack-request-timestamp': Number(signed['x-slack-request-timestamp']) };
        verifySlackRequest({ signingSecret: secret, body, headers, nowMilliseconds: NOW });
        assert.throws(() =>
          verifySlackRequest({ signingSecret: secret, body: `${body}.`, headers, nowMilliseconds: NOW }),
        );
      }),
      { numRuns: times(100) },
    );
  });
});

describe("Twilio's own library", () => {
  const names = fc
    .stringMatching(/^[A-Za-z_][\w-]{0,8}$/)
    .filter((name) => !['__proto__', 'constructor'].includes(name));
  const fields = fc.dictionary(
    names,
    fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.array(fc.string({ unit: 'grapheme' }), { minLength: 2, maxLength: 3 }),
    ),
    { maxKeys: 6, noNullPrototype: true },
  );
  const formOf = (those: Fields): string =>
    new URLSearchParams(
      Object.entries(those).flatMap(([name, value]) => [value].flat().map((one): [string, string] => [name, one])),
    ).toString();
  const urls = fc
    .tuple(fc.constantFrom('https', 'http'), fc.constantFrom('', ':8443'), fc.constantFrom('', '?a=1&b=%20x'))
    .map(([protocol, port, query]) => `${protocol}://a.example${port}/webhooks/wh_1${query}`);

  it('signs forms as we check them, and accepts ours', () => {
    fc.assert(
      fc.property(fields, urls, secrets, (those, url, token) => {
        const body = formOf(those);
        // An empty form is no body.
        const theirs = twilio.getExpectedTwilioSignature(token, url, those);
        assert.equal(problem(token, url, theirs, body), undefined);
        assert.match(problem(token, url, theirs, `${body}&more=1`) ?? '', /another secret or of another body/);
        const [[, ours] = []] = signatureHeaders(scheme, token, Buffer.from(body), NOW, { url, contentType: FORM });
        assert.ok(twilio.validateRequest(token, ours!, url, those));
        assert.equal(ours, theirs);
      }),
      { numRuns: times(200) },
    );
  });

  it('signs other bodies by their hash in the address', () => {
    fc.assert(
      fc.property(fc.json(), urls, secrets, (body, url, token) => {
        const type = 'application/json';
        const bytes = Buffer.from(body);
        const full = signedUrl(scheme, url, bytes, type);
        const [[, ours] = []] = signatureHeaders(scheme, token, bytes, NOW, { url: full, contentType: type });
        assert.ok(twilio.validateRequestWithBody(token, ours!, full, body));
        const theirs = twilio.getExpectedTwilioSignature(token, full, {});
        assert.equal(problem(token, full, theirs, body, type), undefined);
        assert.match(problem(token, full, theirs, `${body} `, type) ?? '', /is not its hash/);
        const bare = twilio.getExpectedTwilioSignature(token, url, {});
        assert.match(problem(token, url, bare, body, type) ?? '', /is not its hash/);
      }),
      { numRuns: times(100) },
    );
  });

  it('has the documented example, also behind a tunnel that ends TLS', () => {
    // https://www.twilio.com/docs/usage/security#validating-requests
    const body = formOf({
      ...{ CallSid: 'CA1234567890ABCDE', Caller: '+14158675310', Digits: '1234' },
      ...{ From: '+14158675310', To: '+18005551212' },
    });
    const headers = { 'content-type': FORM, [HEADER]: 'GvWf1cFY/Q7PnoempGyD5oXAezc=' };
    const bytes = Buffer.from(body);
    const target = '/myapp.php?foo=1&bar=2';
    for (const hosts of [
      { host: 'mycompany.com' },
      { host: '127.0.0.1:8080', 'x-forwarded-host': 'mycompany.com' },
      { host: 'mycompany.com:443' },
    ])
      assert.equal(signatureProblem(scheme, { ...headers, ...hosts }, bytes, ['12345'], NOW, target), undefined);
    const other = { ...headers, host: 'other.example' };
    assert.match(signatureProblem(scheme, other, bytes, ['12345'], NOW, target) ?? '', /another secret/);
  });
});
