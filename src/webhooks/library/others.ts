import type { Header } from '../event.ts';
import { JSON_TYPE, type Body, type Entry } from './entry.ts';

const TIME = 1795252800;
const ISO = '2026-11-21T09:00:00Z';

const SHA = 'da1560886d4f094c3e6c9ef40349f7d38b5d27d7';
const user = { id: 4, name: 'Jo Smith', username: 'jsmith' };
const project = {
  id: 15,
  name: 'Diaspora',
  path_with_namespace: 'mike/diaspora',
  default_branch: 'main',
  web_url: 'https://gitlab.example.com/mike/diaspora',
};

function gitlab(name: string, hook: string, title: string, body: Body): Entry {
  const source = 'https://docs.gitlab.com/user/project/integrations/webhook_events/';
  const headers = [JSON_TYPE, ['User-Agent', 'GitLab/18.5'], ['X-Gitlab-Event', hook]] as const;
  return {
    name: `gitlab.${name}`,
    title: `GitLab: ${title}`,
    system: 'gitlab',
    source,
    headers,
    body: { ...body, project },
  };
}

export const GITLAB: readonly Entry[] = [
  gitlab('push', 'Push Hook', 'push', {
    object_kind: 'push',
    event_name: 'push',
    ref: 'refs/heads/main',
    checkout_sha: SHA,
    user_username: 'jsmith',
    commits: [{ id: SHA, message: 'Fix typo', added: [], modified: ['README.md'], removed: [] }],
    total_commits_count: 1,
  }),
  gitlab('tag_push', 'Tag Push Hook', 'tag pushed', {
    object_kind: 'tag_push',
    ref: 'refs/tags/v1.0.0',
    checkout_sha: SHA,
    user_username: 'jsmith',
  }),
  gitlab('issue', 'Issue Hook', 'issue opened', {
    object_kind: 'issue',
    user,
    object_attributes: {
      id: 301,
      iid: 23,
      title: 'New API: create, update',
      state: 'opened',
      action: 'open',
      labels: [],
    },
  }),
  gitlab('merge_request', 'Merge Request Hook', 'merge request opened', {
    object_kind: 'merge_request',
    user,
    object_attributes: {
      id: 99,
      iid: 1,
      title: 'Fix typo',
      source_branch: 'fix-typo',
      target_branch: 'main',
      state: 'opened',
      action: 'open',
      draft: false,
    },
  }),
  gitlab('note', 'Note Hook', 'comment on a merge request', {
    object_kind: 'note',
    user,
    object_attributes: { id: 1244, note: 'This needs work.', noteable_type: 'MergeRequest' },
    merge_request: { id: 99, iid: 1, title: 'Fix typo' },
  }),
  gitlab('pipeline', 'Pipeline Hook', 'pipeline failed', {
    object_kind: 'pipeline',
    user,
    object_attributes: { id: 31, ref: 'main', sha: SHA, status: 'failed', source: 'push', duration: 63 },
    builds: [{ id: 380, stage: 'test', name: 'unit', status: 'failed' }],
  }),
];

function stripe(type: string, title: string, object: Body, previous?: Body): Entry {
  return {
    name: `stripe.${type}`,
    title: `Stripe: ${title}`,
    system: 'stripe',
    source: `https://docs.stripe.com/api/events/types#event_types-${type}`,
    headers: [JSON_TYPE, ['User-Agent', 'Stripe/1.0 (+https://stripe.com/docs/webhooks)']],
    body: {
      id: 'evt_1ExampleOfAnEvent',
      object: 'event',
      api_version: '2026-01-28',
      created: TIME,
      type,
      livemode: false,
      pending_webhooks: 1,
      request: { id: 'req_Example', idempotency_key: null },
      data: { object, ...(previous && { previous_attributes: previous }) },
    },
  };
}

const customer = 'cus_ExampleCustomer';
const payment = {
  id: 'pi_1Example',
  object: 'payment_intent',
  amount: 2000,
  currency: 'eur',
  customer,
  metadata: { order: '1042' },
};
const invoice = {
  id: 'in_1Example',
  object: 'invoice',
  customer,
  currency: 'eur',
  amount_due: 2000,
  attempt_count: 1,
  subscription: 'sub_1Example',
};
const subscription = {
  ...{
    id: 'sub_1Example',
    object: 'subscription',
    customer,
    currency: 'eur',
    status: 'active',
    cancel_at_period_end: false,
  },
  items: {
    object: 'list',
    data: [{ id: 'si_Example', price: { id: 'price_Example', unit_amount: 2000 }, quantity: 1 }],
  },
};

export const STRIPE: readonly Entry[] = [
  stripe('payment_intent.succeeded', 'payment succeeded', { ...payment, amount_received: 2000, status: 'succeeded' }),
  stripe('payment_intent.payment_failed', 'payment failed', {
    ...payment,
    status: 'requires_payment_method',
    last_payment_error: {
      code: 'card_declined',
      decline_code: 'insufficient_funds',
      message: 'Your card has insufficient funds.',
    },
  }),
  stripe('checkout.session.completed', 'checkout completed', {
    ...{
      id: 'cs_test_Example',
      object: 'checkout.session',
      mode: 'payment',
      amount_total: 2000,
      currency: 'eur',
      customer,
    },
    ...{ payment_status: 'paid', status: 'complete', client_reference_id: '1042', payment_intent: 'pi_1Example' },
  }),
  stripe('charge.refunded', 'charge refunded', {
    id: 'ch_1Example',
    object: 'charge',
    amount: 2000,
    amount_refunded: 2000,
    refunded: true,
    currency: 'eur',
    customer,
  }),
  stripe('charge.dispute.created', 'charge disputed', {
    id: 'dp_1Example',
    object: 'dispute',
    amount: 2000,
    charge: 'ch_1Example',
    reason: 'fraudulent',
    status: 'needs_response',
  }),
  stripe('customer.created', 'customer created', {
    id: customer,
    object: 'customer',
    email: 'jo@example.com',
    name: 'Jo Smith',
    metadata: {},
  }),
  stripe('customer.subscription.created', 'subscription created', subscription),
  stripe(
    'customer.subscription.updated',
    'subscription changed',
    { ...subscription, cancel_at_period_end: true },
    { cancel_at_period_end: false },
  ),
  stripe('customer.subscription.deleted', 'subscription ended', {
    ...subscription,
    status: 'canceled',
    canceled_at: TIME,
  }),
  stripe('invoice.paid', 'invoice paid', { ...invoice, status: 'paid', amount_paid: 2000, amount_remaining: 0 }),
  stripe('invoice.payment_failed', 'payment of an invoice failed', {
    ...invoice,
    status: 'open',
    amount_paid: 0,
    amount_remaining: 2000,
  }),
];

function slack(type: string, title: string, event: Body): Entry {
  return {
    name: `slack.${type}`,
    title: `Slack: ${title}`,
    system: 'slack',
    source: `https://docs.slack.dev/reference/events/${type}`,
    headers: [JSON_TYPE, ['User-Agent', 'Slackbot 1.0 (+https://api.slack.com/robots)']],
    body: {
      team_id: 'T0EXAMPLE01',
      api_app_id: 'A0EXAMPLE01',
      type: 'event_callback',
      event_id: 'Ev0EXAMPLE01',
      event_time: TIME,
      event: { type, ...event, event_ts: `${TIME}.000100` },
    },
  };
}

const from = { user: 'U0EXAMPLE01', channel: 'C0EXAMPLE01' };

export const SLACK: readonly Entry[] = [
  slack('app_mention', 'app mentioned', { ...from, text: '<@U0EXAMPLE02> deploy the shop', ts: `${TIME}.000100` }),
  slack('message', 'message posted', {
    ...from,
    channel_type: 'channel',
    text: 'The build is red again.',
    ts: `${TIME}.000100`,
  }),
  slack('reaction_added', 'reaction added', {
    user: 'U0EXAMPLE01',
    reaction: 'eyes',
    item_user: 'U0EXAMPLE02',
    item: { type: 'message', channel: 'C0EXAMPLE01', ts: `${TIME}.000050` },
  }),
  slack('member_joined_channel', 'member joined a channel', { ...from, channel_type: 'C', team: 'T0EXAMPLE01' }),
  slack('app_home_opened', 'home of the app opened', { ...from, tab: 'home' }),
];

function shopify(topic: string, title: string, body: Body): Entry {
  return {
    name: `shopify.${topic.replace('/', '.')}`,
    title: `Shopify: ${title}`,
    system: 'shopify',
    source: `https://shopify.dev/docs/api/webhooks/latest#list-of-topics-${topic}`,
    headers: [
      JSON_TYPE,
      ['X-Shopify-Topic', topic],
      ['X-Shopify-Shop-Domain', 'example.myshopify.com'],
      ['X-Shopify-API-Version', '2026-07'],
    ],
    body,
  };
}

const buyer = { id: 1153106273147, email: 'jo@example.com', first_name: 'Jo', last_name: 'Smith' };
const order = {
  ...{
    id: 8209829119461,
    name: '#9999',
    created_at: ISO,
    currency: 'EUR',
    total_price: '403.00',
    customer: buyer,
    test: true,
  },
  line_items: [{ id: 8665503117664, title: 'Lantern', quantity: 1, price: '199.00', sku: 'L-1' }],
};

export const SHOPIFY: readonly Entry[] = [
  shopify('orders/create', 'order created', { ...order, financial_status: 'pending', fulfillment_status: null }),
  shopify('orders/paid', 'order paid', { ...order, financial_status: 'paid', fulfillment_status: null }),
  shopify('orders/cancelled', 'order cancelled', {
    ...order,
    financial_status: 'voided',
    cancelled_at: ISO,
    cancel_reason: 'customer',
  }),
  shopify('products/update', 'product changed', {
    id: 788032119674,
    title: 'Lantern',
    status: 'active',
    variants: [{ id: 1, price: '199.00', inventory_quantity: 3 }],
  }),
  shopify('app/uninstalled', 'app uninstalled', {
    id: 548380009,
    name: 'Example Shop',
    domain: 'example.myshopify.com',
  }),
];

function pagerduty(type: string, title: string, data: Body): Entry {
  return {
    name: `pagerduty.${type}`,
    title: `PagerDuty: ${title}`,
    system: 'pagerduty',
    source: 'https://developer.pagerduty.com/docs/webhooks-overview',
    headers: [JSON_TYPE, ['User-Agent', 'PagerDuty-Webhook/V3.0']],
    body: {
      event: {
        id: '5ac64822-4adc-4fda-ade0-410becf0de4f',
        event_type: type,
        resource_type: 'incident',
        occurred_at: ISO,
        data: {
          ...{ id: 'PGR0VU2', type: 'incident', number: 2, title: 'A little bump in the road', urgency: 'high' },
          service: { id: 'PF9KMXH', summary: 'API Service' },
          ...data,
        },
      },
    },
  };
}

export const PAGERDUTY: readonly Entry[] = [
  pagerduty('incident.triggered', 'incident triggered', { status: 'triggered' }),
  pagerduty('incident.acknowledged', 'incident acknowledged', { status: 'acknowledged' }),
  pagerduty('incident.resolved', 'incident resolved', { status: 'resolved' }),
];

const FORM_TYPE: Header = ['Content-Type', 'application/x-www-form-urlencoded; charset=UTF-8'];
const ACCOUNT = 'AC00000000000000000000000000000001';
const PHONES = { To: '+15550100001', From: '+15550100002' };

/** Its fields are sent as a form. */
function twilio(name: string, title: string, page: string, body: Readonly<Record<string, string>>): Entry {
  return {
    name: `twilio.${name}`,
    title: `Twilio: ${title}`,
    system: 'twilio',
    source: `https://www.twilio.com/docs/${page}`,
    headers: [FORM_TYPE, ['User-Agent', 'TwilioProxy/1.1'], ['Accept', '*/*']],
    body: { AccountSid: ACCOUNT, ...PHONES, ApiVersion: '2010-04-01', ...body },
  };
}

const SMS = 'SM00000000000000000000000000000001';
const MESSAGE_STATUS = 'messaging/guides/track-outbound-message-status';
const CALL = { CallSid: 'CA00000000000000000000000000000001', Direction: 'inbound' };

export const TWILIO: readonly Entry[] = [
  twilio('received', 'message received', 'messaging/guides/webhook-request', {
    MessageSid: SMS,
    SmsSid: SMS,
    SmsMessageSid: SMS,
    SmsStatus: 'received',
    Body: 'Is the shop open on Sunday? 10 % off & more',
    NumMedia: '0',
    NumSegments: '1',
    FromCountry: 'US',
    ToCountry: 'US',
  }),
  twilio('delivered', 'message delivered', MESSAGE_STATUS, {
    MessageSid: SMS,
    SmsSid: SMS,
    MessageStatus: 'delivered',
    SmsStatus: 'delivered',
  }),
  twilio('undelivered', 'message not delivered', MESSAGE_STATUS, {
    MessageSid: SMS,
    SmsSid: SMS,
    MessageStatus: 'undelivered',
    SmsStatus: 'undelivered',
    ErrorCode: '30003',
  }),
  twilio('ringing', 'call received', 'voice/twiml', {
    ...CALL,
    CallStatus: 'ringing',
    CallerCountry: 'US',
    CalledCountry: 'US',
  }),
  twilio('completed', 'call ended', 'voice/api/call-resource', {
    ...CALL,
    CallStatus: 'completed',
    CallDuration: '42',
    Timestamp: 'Sat, 21 Nov 2026 09:00:00 +0000',
    SequenceNumber: '3',
  }),
];
