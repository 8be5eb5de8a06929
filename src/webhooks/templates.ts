import { createHmac, randomUUID } from 'node:crypto';
import type { Header } from './event.ts';

/** An example of a system's delivery, to edit. Its shape is that of the system's documentation. */
export interface Template {
  /** Title in lists. */
  readonly title: string;
  readonly system: System;
  readonly headers: readonly Header[];
  readonly body: unknown;
}

type System = 'github' | 'gitlab' | 'pagerduty';

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
};

/** Headers that the system adds to each delivery: its id, and with a secret its proof of origin. */
export function deliveryHeaders({ system }: Template, body: Uint8Array, secret?: string): Header[] {
  const mac = (key: string): string => createHmac('sha256', key).update(body).digest('hex');
  const [id, proof] = {
    github: ['X-GitHub-Delivery', (key: string): Header => ['X-Hub-Signature-256', `sha256=${mac(key)}`]] as const,
    gitlab: ['X-Gitlab-Event-UUID', (key: string): Header => ['X-Gitlab-Token', key]] as const,
    pagerduty: ['X-Webhook-Id', (key: string): Header => ['X-PagerDuty-Signature', `v1=${mac(key)}`]] as const,
  }[system];
  return [[id, randomUUID()], ...(secret === undefined ? [] : [proof(secret)])];
}
