import type { System } from './names.ts';

/** An event of the library under a short name, for lists that must not load the library. */
export interface Template {
  readonly title: string;
  readonly system: System;
  /** Its name in the library. */
  readonly event: string;
}

export const TEMPLATES: Readonly<Record<string, Template>> = {
  'github-push': { title: 'GitHub: push', system: 'github', event: 'github.push' },
  'github-pull-request': {
    title: 'GitHub: pull request opened',
    system: 'github',
    event: 'github.pull_request.opened',
  },
  'gitlab-push': { title: 'GitLab: push', system: 'gitlab', event: 'gitlab.push' },
  pagerduty: { title: 'PagerDuty: incident triggered', system: 'pagerduty', event: 'pagerduty.incident.triggered' },
  'stripe-payment': {
    title: 'Stripe: payment succeeded',
    system: 'stripe',
    event: 'stripe.payment_intent.succeeded',
  },
  'slack-mention': { title: 'Slack: app mentioned', system: 'slack', event: 'slack.app_mention' },
  'shopify-order': { title: 'Shopify: order created', system: 'shopify', event: 'shopify.orders.create' },
  'twilio-message': { title: 'Twilio: message received', system: 'twilio', event: 'twilio.received' },
};

export const TEMPLATE_NAMES = Object.keys(TEMPLATES).join(', ');
