import assert from 'node:assert/strict';
import { sign as signAsGithub, verify as verifyAsGithub } from '@octokit/webhooks-methods';
import fc from 'fast-check';
import { Stripe } from 'stripe';
import { times } from '../../test/support/runs.ts';
import { WEBHOOK_TYPES } from './names.ts';
import { ANOTHER, schemeOf, signatureHeaders, signatureInput, signatureProblem } from './signatures.ts';
import type { SignatureScheme } from './signatures.ts';

const NOW = Date.UTC(2026, 10, 21, 9);
const stripe = new Stripe('sk_test_none');
// senderLibraries.test.ts has those that sign the address.
const schemes = WEBHOOK_TYPES.flatMap((type) => schemeOf({ type }) ?? []).filter(({ signed }) =>
  signed.includes('{body}'),
);
const github = schemeOf({ type: 'github' })!;
const slack = schemeOf({ type: 'slack' })!;
const stripeScheme = schemeOf({ type: 'stripe' })!;

const lower = (headers: readonly (readonly [string, string])[]): Record<string, string> =>
  Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value]));
const problem = (
  scheme: SignatureScheme,
  headers: Record<string, string>,
  body: string,
  secret: string,
  now = NOW,
): string | undefined => signatureProblem(scheme, headers, Buffer.from(body), [secret], now);

describe('signatures of senders', () => {
  it('are those of the documented examples', () => {
    // https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries#testing-the-webhook-payload-validation
    const hello = {
      'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
    };
    assert.equal(problem(github, hello, 'Hello, World!', "It's a Secret to Everybody"), undefined);
    // https://docs.slack.dev/authentication/verifying-requests-from-slack
    const command =
      'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c';
    const sent = {
      'x-slack-request-timestamp': '1531420618',
      'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    };
    assert.equal(problem(slack, sent, command, '8f742231b10e8888abcd99yyyzzz85a5', 1_531_420_618_000), undefined);
  });

  it('are valid for the libraries of GitHub and Stripe, and theirs for us', async () => {
    await fc.assert(
      fc.asyncProperty(fc.json(), fc.stringMatching(/^[!-~]{8,40}$/), async (body, secret) => {
        const ours = lower(signatureHeaders(github, secret, Buffer.from(body), NOW));
        assert.ok(await verifyAsGithub(secret, body, ours['x-hub-signature-256']!));
        const theirs = { 'x-hub-signature-256': await signAsGithub(secret, body) };
        assert.equal(problem(github, theirs, body, secret), undefined);

        const at = Math.floor(Date.now() / 1000);
        const header = stripe.webhooks.generateTestHeaderString({ payload: body, secret, timestamp: at });
        assert.equal(problem(stripeScheme, { 'stripe-signature': header }, body, secret, at * 1000), undefined);
        const signed = lower(signatureHeaders(stripeScheme, secret, Buffer.from(body), at * 1000));
        stripe.webhooks.constructEvent(body, signed['stripe-signature']!, secret);
      }),
      { numRuns: times(50) },
    );
  });

  it('are valid for their body, secret and time alone', () => {
    const input = fc.record({
      scheme: fc.constantFrom(...schemes),
      body: fc.uint8Array({ maxLength: 50 }),
      secret: fc.stringMatching(/^[!-~]{8,20}$/),
      at: fc.integer({ min: 0, max: 2 ** 40 }),
    });
    fc.assert(
      fc.property(input, fc.nat(), ({ scheme, body, secret, at }, seed) => {
        const headers = lower(signatureHeaders(scheme, secret, body, at));
        const check = (given: typeof headers, of: Uint8Array, key: string, now: number): string | undefined =>
          signatureProblem(scheme, given, of, ['another-key', key], now);
        assert.equal(check(headers, body, secret, at), undefined);
        assert.equal(check(headers, body, `${secret}.`, at), ANOTHER);
        assert.equal(check(headers, Buffer.concat([body, Buffer.of(seed)]), secret, at), ANOTHER);
        const isTimed = scheme.timestamp_header !== undefined;
        assert.equal(check(headers, body, secret, at + 302_000) === undefined, !isTimed);
        assert.equal(check(headers, body, secret, at - 302_000) === undefined, !isTimed);
        // A flipped character of the signature, and a header that is missing.
        const name = scheme.header.toLowerCase();
        const value = headers[name]!;
        const place = value.length - 3;
        const flipped = `${value.slice(0, place)}${value[place] === '0' ? '1' : '0'}${value.slice(place + 1)}`;
        assert.notEqual(check({ ...headers, [name]: flipped }, body, secret, at), undefined);
        assert.match(check({}, body, secret, at) ?? '', /^[\w-]+ is missing$/);
      }),
    );
  });

  it('are refused with the reason', () => {
    const signed = lower(signatureHeaders(stripeScheme, 'a-secret', Buffer.from('{}'), NOW))['stripe-signature']!;
    const reason = (header: string, now = NOW): string | undefined =>
      problem(stripeScheme, { 'stripe-signature': header }, '{}', 'a-secret', now);
    assert.equal(reason(`${signed},v0=00,v1=11`), undefined, 'of several signatures, one is enough');
    assert.equal(reason(signed, NOW + 400_000), 'the timestamp in Stripe-Signature is more than 300 seconds ago');
    assert.equal(reason(signed, NOW - 400_000), 'the timestamp in Stripe-Signature is more than 300 seconds ahead');
    assert.equal(reason(signed.replace('v1=', 'v2=')), 'Stripe-Signature has no signature that begins with v1=');
    assert.equal(reason(signed.replace('t=', 'at=')), 'Stripe-Signature has no timestamp');
    assert.equal(reason(signed.replace(/t=\d+/, 't=now')), 'the timestamp in Stripe-Signature is no number of seconds');
    assert.equal(reason(signed.replace(/v1=.*/, 'v1=')), ANOTHER);
    const bearer = signatureProblem(github, { authorization: 'Bearer x' }, Buffer.of(), ['k'], NOW);
    assert.equal(bearer, 'X-Hub-Signature-256 is missing: a bearer token was sent, but deliveries must be signed');
  });

  it('are described by a scheme without contradictions', () => {
    const issue = (input: object): string | undefined =>
      signatureInput.safeParse({ header: 'X-Sign', ...input }).error?.issues[0]?.message;
    assert.equal(issue({}), undefined);
    assert.equal(issue({ signed: '{timestamp}.{body}', timestamp_header: 'X-At' }), undefined);
    assert.equal(issue({ signed: '{timestamp}.{body}' }), 'needs timestamp_header where signed has {timestamp}, and only there'); // oxfmt-ignore
    assert.equal(issue({ timestamp_header: 'X-At' }), 'needs timestamp_header where signed has {timestamp}, and only there'); // oxfmt-ignore
    assert.equal(issue({ signed: 'body' }), 'must have {body} or {form} once');
    assert.equal(issue({ header: 'X Sign:' }), 'must be the name of a header');
    assert.equal(issue({ algorithm: 'md5' }), 'must be sha1, sha256 or sha512');
  });
});
