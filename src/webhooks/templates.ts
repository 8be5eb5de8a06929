import type { Header } from './event.ts';

/** An example of a system's delivery, to edit. Its shape is that of the system's documentation. */
export interface Template {
  /** Title in lists. */
  readonly title: string;
  readonly system: System;
  readonly headers: readonly Header[];
  readonly body: unknown;
}

export type System = 'github' | 'gitlab' | 'pagerduty' | 'shopify' | 'slack' | 'stripe';

const JSON_TYPE: Header = ['Content-Type', 'application/json'];

export const TEMPLATES: Readonly<Record<string, Template>> = {
  'github-push': {
    title: 'GitHub: push',
    system: 'github',
    headers: [JSON_TYPE, ['User-Agent', 'GitHub-Hookshot/044aadd'], ['X-GitHub-Event', 'push']],
    body: {
      ref: 'refs/heads/main',
      before: '6113728f27ae82c7b1a177c8d03f9e96e0adf246',
      after: '0d1a26e67d8f5eaf1f6ba5c57fc3c7d91ac0fd1c',
      forced: false,
      repository: { full_name: 'octo-org/octo-repo', default_branch: 'main', private: false },
      pusher: { name: 'octocat', email: 'octocat@example.com' },
      commits: [
        {
          id: '0d1a26e67d8f5eaf1f6ba5c57fc3c7d91ac0fd1c',
          message: 'Update README',
          added: [],
          modified: ['README.md'],
        },
      ],
    },
  },
  'github-pull-request': {
    title: 'GitHub: pull request opened',
    system: 'github',
    headers: [JSON_TYPE, ['User-Agent', 'GitHub-Hookshot/044aadd'], ['X-GitHub-Event', 'pull_request']],
    body: {
      action: 'opened',
      number: 2,
      pull_request: {
        title: 'Fix the parser',
        state: 'open',
        draft: false,
        merged: false,
        user: { login: 'octocat' },
        head: { ref: 'fix-parser', sha: 'ec26c3e57ca3a959ca5aad62de7213c562f8c821' },
        base: { ref: 'main', sha: 'f95f852bd8fca8fcc58a9a2d6c842781e32a215e' },
        labels: [{ name: 'bug' }],
      },
      repository: { full_name: 'octo-org/octo-repo', default_branch: 'main', private: false },
      sender: { login: 'octocat' },
    },
  },
  'gitlab-push': {
    title: 'GitLab: push',
    system: 'gitlab',
    headers: [JSON_TYPE, ['X-Gitlab-Event', 'Push Hook']],
    body: {
      object_kind: 'push',
      event_name: 'push',
      ref: 'refs/heads/main',
      checkout_sha: 'da1560886d4f094c3e6c9ef40349f7d38b5d27d7',
      user_username: 'jsmith',
      project: { path_with_namespace: 'mike/diaspora', default_branch: 'main' },
      commits: [{ id: 'da1560886d4f094c3e6c9ef40349f7d38b5d27d7', message: 'Fix typo', modified: ['README.md'] }],
      total_commits_count: 1,
    },
  },
  pagerduty: {
    title: 'PagerDuty: incident triggered',
    system: 'pagerduty',
    headers: [JSON_TYPE, ['User-Agent', 'PagerDuty-Webhook/V3.0']],
    body: {
      event: {
        id: '5ac64822-4adc-4fda-ade0-410becf0de4f',
        event_type: 'incident.triggered',
        resource_type: 'incident',
        occurred_at: '2026-11-21T09:00:00.000Z',
        data: {
          id: 'PGR0VU2',
          type: 'incident',
          number: 2,
          status: 'triggered',
          title: 'A little bump in the road',
          urgency: 'high',
          service: { id: 'PF9KMXH', summary: 'API Service' },
        },
      },
    },
  },
  'stripe-payment': {
    title: 'Stripe: payment succeeded',
    system: 'stripe',
    headers: [JSON_TYPE, ['User-Agent', 'Stripe/1.0 (+https://stripe.com/docs/webhooks)']],
    body: {
      id: 'evt_1ExampleOfAnEvent',
      object: 'event',
      api_version: '2026-01-28',
      created: 1795252800,
      type: 'payment_intent.succeeded',
      livemode: false,
      pending_webhooks: 1,
      data: {
        object: {
          id: 'pi_1ExampleOfAPayment',
          object: 'payment_intent',
          amount: 2000,
          amount_received: 2000,
          currency: 'eur',
          customer: 'cus_ExampleCustomer',
          metadata: { order: '1042' },
          status: 'succeeded',
        },
      },
    },
  },
  'slack-mention': {
    title: 'Slack: app mentioned',
    system: 'slack',
    headers: [JSON_TYPE, ['User-Agent', 'Slackbot 1.0 (+https://api.slack.com/robots)']],
    body: {
      team_id: 'T0EXAMPLE01',
      api_app_id: 'A0EXAMPLE01',
      type: 'event_callback',
      event_id: 'Ev0EXAMPLE01',
      event_time: 1795252800,
      event: {
        type: 'app_mention',
        user: 'U0EXAMPLE01',
        text: '<@U0EXAMPLE02> deploy the shop',
        ts: '1795252800.000100',
        channel: 'C0EXAMPLE01',
      },
    },
  },
  'shopify-order': {
    title: 'Shopify: order created',
    system: 'shopify',
    headers: [
      JSON_TYPE,
      ['X-Shopify-Topic', 'orders/create'],
      ['X-Shopify-Shop-Domain', 'example.myshopify.com'],
      ['X-Shopify-API-Version', '2026-07'],
    ],
    body: {
      id: 8209829119461,
      name: '#9999',
      created_at: '2026-11-21T09:00:00-05:00',
      currency: 'EUR',
      total_price: '403.00',
      financial_status: 'pending',
      customer: { id: 1153106273147, email: 'john@example.com' },
      line_items: [{ id: 8665503117664, title: 'Lantern', quantity: 1, price: '199.00' }],
      test: true,
    },
  },
};

export const TEMPLATE_NAMES = Object.keys(TEMPLATES).join(', ');
