import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { Answer, Passage } from '../../ask/answer.ts';
import { CitationScanner, type MarkdownToken } from '../../ask/citationScanner.ts';
import { escapeMarkdown } from '../../ask/markdown.ts';
import { nextActionOf } from '../../ask/errors.ts';
import { followUpsOf } from '../../ask/followUps.ts';
import { describeError, isCancelled } from '../../base/errors.ts';
import type { AskServiceRequest, AskService } from './askService.ts';
import { signalOf } from '../cancellation.ts';
import { CHAT_PARTICIPANT, REPLACE_TOKEN } from '../commandIds.ts';
import type { Folders } from '../index/folders.ts';
import type { SearchScope } from '../../protocol/searchScope.ts';
import type { TeamFiles } from '../team/teamFiles.ts';
import { tokenRefusal } from '../../wire/explained.ts';
import { isTeamRoot } from '../../wire/teamRoot.ts';
import { languageModelProvider } from './languageModel.ts';
import { describeReranking, describeSent } from './sentText.ts';
import { askSettings } from '../settings.ts';

/** `@sextant /team`: asks about the team's code. */
const TEAM_COMMAND = 'team';

/** `@sextant` in the chat: answers with citations that open their places. */
export class Chat {
  readonly #asking: AskService;
  readonly #folders: Folders;
  readonly #teamFiles: Pick<TeamFiles, 'uriOf'>;

  constructor(asking: AskService, folders: Folders, teamFiles: Pick<TeamFiles, 'uriOf'>) {
    this.#asking = asking;
    this.#folders = folders;
    this.#teamFiles = teamFiles;
  }

  async answer(
    request: vscode.ChatRequest,
    context: vscode.ChatContext,
    response: vscode.ChatResponseStream,
    token: vscode.CancellationToken,
  ): Promise<vscode.ChatResult> {
    const linked = signalOf(token);
    const isTeam = request.command === TEAM_COMMAND;
    const scope: SearchScope = isTeam ? 'team' : 'workspace';
    response.progress(isTeam ? vscode.l10n.t('Searching the team’s code') : vscode.l10n.t('Searching the workspace'));
    const question = { question: request.prompt, scope, history: historyOf(context), signal: linked.signal };
    try {
      const answer = await this.#show(question, request.model, response);
      return { metadata: { answer, scope } };
    } catch (error) {
      if (isCancelled(error)) return {};
      offerNextAction(error, response);
      return { errorDetails: { message: tokenRefusal(error) ?? describeError(error) } };
    } finally {
      linked.dispose();
    }
  }

  followUps({ metadata }: vscode.ChatResult): vscode.ChatFollowup[] {
    const answer = answerIn(metadata);
    const command = metadata?.scope === 'team' ? { command: TEAM_COMMAND } : {};
    return answer ? followUpsOf(answer).map((prompt) => ({ prompt, ...command })) : [];
  }

  /** Streams an answer of the chat's model, unless the settings name a provider. */
  async #show(
    request: Omit<AskServiceRequest, 'provider'>,
    model: vscode.LanguageModelChat,
    response: vscode.ChatResponseStream,
  ): Promise<Answer | undefined> {
    const events = askSettings().isChosen
      ? this.#asking.ask(request)
      : this.#asking.askWith(languageModelProvider(model), request);
    const scanner = new CitationScanner();
    const places = new Map<number, vscode.Location>();
    const show = (tokens: readonly MarkdownToken[]): void => {
      for (const token of tokens) {
        if (token.kind !== 'citation') response.markdown(token.text);
        else for (const number of token.numbers) this.#cite(number, places.get(number), response);
      }
    };
    for await (const event of events) {
      switch (event.kind) {
        case 'sources':
          if (event.reranking) {
            const { provider, sent } = event.reranking;
            const outcome = escapeMarkdown(describeReranking(event.reranking));
            response.markdown(`*${outcome}. ${describeSent(provider, sent)}*\n\n`);
          }
          response.markdown(`*${describeSent(event.provider, event.sent, request.scope === 'team')}*\n\n`);
          for (const problem of event.problems ?? []) response.markdown(`*${escapeMarkdown(problem)}*\n\n`);
          for (const passage of event.passages) places.set(passage.number, await this.#locationOf(passage));
          break;
        case 'text':
          show(scanner.push(event.text));
          break;
        case 'done':
          show(scanner.end());
          for (const { number } of event.answer.cited) response.reference(places.get(number)!);
          if (event.answer.removedCitations > 0) response.markdown(`\n\n*${describeRemoved(event.answer)}*`);
          return event.answer;
      }
    }
    return undefined;
  }

  #cite(number: number, place: vscode.Location | undefined, response: vscode.ChatResponseStream): void {
    if (!place) return;
    response.markdown(' ');
    response.anchor(place, `${number} ${basename(place.uri.path)}:${place.range.start.line + 1}`);
  }

  async #locationOf({ root, path, startLine, endLine, text }: Passage): Promise<vscode.Location> {
    const uri = isTeamRoot(root)
      ? await this.#teamFiles.uriOf({ root, path })
      : vscode.Uri.joinPath(this.#folders.uriOf(root), path);
    return new vscode.Location(
      uri,
      new vscode.Range(startLine - 1, 0, endLine - 1, text.length - 1 - text.lastIndexOf('\n')),
    );
  }
}

/** Earlier answers of Sextant in the conversation. */
function historyOf({ history }: vscode.ChatContext): Answer[] {
  return history
    .filter((turn) => turn instanceof vscode.ChatResponseTurn)
    .filter(({ participant }) => participant === CHAT_PARTICIPANT)
    .flatMap(({ result }) => answerIn(result.metadata) ?? []);
}

/** Reads an answer from metadata, which the editor stores as JSON, perhaps of an earlier version. */
function answerIn(metadata: vscode.ChatResult['metadata']): Answer | undefined {
  const answer = metadata?.answer as Partial<Answer> | undefined;
  const isWhole =
    typeof answer?.question === 'string' && typeof answer.markdown === 'string' && Array.isArray(answer.cited);
  return isWhole ? (answer as Answer) : undefined;
}

function describeRemoved({ removedCitations: count }: Answer): string {
  return count === 1
    ? vscode.l10n.t('1 citation was removed because its place does not exist.')
    : vscode.l10n.t('{0} citations were removed because their places do not exist.', count);
}

function offerNextAction(error: unknown, response: vscode.ChatResponseStream): void {
  switch (nextActionOf(error)) {
    case 'choose-provider':
      response.button({ command: 'sextant.chooseProvider', title: vscode.l10n.t('Select Answer Model') });
      break;
    case 'set-key':
      response.button({ command: 'sextant.setOpenAiKey', title: vscode.l10n.t('Set Key') });
      break;
    case 'open-settings':
      response.button({
        command: 'workbench.action.openSettings',
        title: vscode.l10n.t('Open Settings'),
        arguments: ['sextant.ask'],
      });
      break;
    case 'enter-token': {
      const title = vscode.l10n.t('Enter Another Token');
      response.button({ command: 'sextant.searchTeam', title, arguments: [REPLACE_TOKEN] });
      break;
    }
    // The chat has a button of its own to ask again.
    case 'ask-again':
    case undefined:
      break;
  }
}
