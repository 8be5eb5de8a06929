import { JSON_TYPE, type Body, type Entry } from './entry.ts';

const SOURCE = 'https://docs.github.com/webhooks/webhook-events-and-payloads';
const SHA = '0d1a26e67d8f5eaf1f6ba5c57fc3c7d91ac0fd1c';
const OLD_SHA = '6113728f27ae82c7b1a177c8d03f9e96e0adf246';

const octocat = { login: 'octocat', id: 1, type: 'User' };
const repository = {
  id: 1296269,
  name: 'octo-repo',
  full_name: 'octo-org/octo-repo',
  private: false,
  owner: { login: 'octo-org', id: 2, type: 'Organization' },
  html_url: 'https://github.com/octo-org/octo-repo',
  default_branch: 'main',
};
const common = { repository, sender: octocat };
const issue = {
  id: 10,
  number: 7,
  title: 'The parser drops the last line',
  state: 'open',
  user: octocat,
  labels: [{ name: 'bug', color: 'd73a4a' }],
  assignees: [],
  body: 'A file without a line end loses its last line.',
  html_url: 'https://github.com/octo-org/octo-repo/issues/7',
};
const pullRequest = {
  id: 20,
  number: 2,
  title: 'Fix the parser',
  state: 'open',
  draft: false,
  merged: false,
  user: octocat,
  head: { ref: 'fix-parser', sha: SHA },
  base: { ref: 'main', sha: OLD_SHA },
  labels: [{ name: 'bug', color: 'd73a4a' }],
  requested_reviewers: [],
  html_url: 'https://github.com/octo-org/octo-repo/pull/2',
};
const comment = { id: 30, user: octocat, body: 'Looks good to me.', created_at: '2026-11-21T09:00:00Z' };

function github(name: string, title: string, body: Body): Entry {
  const [event = ''] = name.split('.');
  const headers = [JSON_TYPE, ['User-Agent', 'GitHub-Hookshot/044aadd'], ['X-GitHub-Event', event]] as const;
  const action = name.slice(event.length + 1);
  return {
    name: `github.${name}`,
    title: `GitHub: ${title}`,
    system: 'github',
    source: `${SOURCE}#${event}`,
    headers,
    body: { ...(action !== '' && { action }), ...body, ...common },
  };
}

export const GITHUB: readonly Entry[] = [
  github('ping', 'ping', {
    zen: 'Keep it logically awesome.',
    hook_id: 1,
    hook: { type: 'Repository', events: ['push'], active: true },
  }),
  github('push', 'push', {
    ref: 'refs/heads/main',
    before: OLD_SHA,
    after: SHA,
    created: false,
    deleted: false,
    forced: false,
    pusher: { name: 'octocat', email: 'octocat@example.com' },
    head_commit: { id: SHA, message: 'Update README' },
    commits: [{ id: SHA, message: 'Update README', added: [], removed: [], modified: ['README.md'] }],
  }),
  github('pull_request.opened', 'pull request opened', { number: 2, pull_request: pullRequest }),
  github('pull_request.synchronize', 'commits pushed to a pull request', {
    number: 2,
    before: OLD_SHA,
    after: SHA,
    pull_request: pullRequest,
  }),
  github('pull_request.closed', 'pull request merged', {
    number: 2,
    pull_request: { ...pullRequest, state: 'closed', merged: true, merge_commit_sha: SHA, merged_by: octocat },
  }),
  github('pull_request_review.submitted', 'review submitted', {
    review: { id: 40, user: octocat, state: 'approved', body: 'Ship it.' },
    pull_request: pullRequest,
  }),
  github('issues.opened', 'issue opened', { issue }),
  github('issues.closed', 'issue closed', { issue: { ...issue, state: 'closed', state_reason: 'completed' } }),
  github('issues.labeled', 'issue labeled', { issue, label: { name: 'bug', color: 'd73a4a' } }),
  github('issue_comment.created', 'comment on an issue', { issue, comment }),
  github('release.published', 'release published', {
    release: {
      id: 50,
      tag_name: 'v1.2.0',
      name: 'v1.2.0',
      draft: false,
      prerelease: false,
      body: 'Fixes the parser.',
      author: octocat,
    },
  }),
  github('workflow_run.completed', 'workflow run failed', {
    workflow_run: {
      id: 60,
      name: 'CI',
      head_branch: 'main',
      head_sha: SHA,
      event: 'push',
      status: 'completed',
      conclusion: 'failure',
      run_attempt: 1,
    },
    workflow: { id: 61, name: 'CI', path: '.github/workflows/ci.yml' },
  }),
  github('check_run.completed', 'check succeeded', {
    check_run: { id: 70, name: 'lint', head_sha: SHA, status: 'completed', conclusion: 'success' },
  }),
  github('deployment_status.created', 'deployment succeeded', {
    deployment_status: { id: 80, state: 'success', environment: 'production' },
    deployment: { id: 81, ref: 'main', sha: SHA, task: 'deploy', environment: 'production' },
  }),
  github('star.created', 'repository starred', { starred_at: '2026-11-21T09:00:00Z' }),
];
