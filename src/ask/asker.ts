import { throwIfCancelled } from '../base/errors.ts';
import type { Answer, AnswerEvent } from './answer.ts';
import { CitationFilter } from './citations.ts';
import { askErrors } from './errors.ts';
import { renumbered } from './passages.ts';
import { makePrompt } from './prompt.ts';
import type { AnswerProvider } from './provider.ts';
import { inOrder, RERANKED, rerank } from './rerank.ts';
import { QUESTION_PROFILE, retrievePassages, type AskProfile, type Sources } from './retrieve.ts';

export interface AskRequest {
  /** The question in plain words; filters of the query language restrict the search. */
  readonly question: string;
  readonly provider: AnswerProvider;
  /** Orders the passages first, if set. */
  readonly reranker?: AnswerProvider;
  /** The conversation so far, oldest first. */
  readonly history?: readonly Answer[];
  readonly signal?: AbortSignal;
}

/** Number of passages that a person looks at. */
const PASSAGES_SHOWN = 6;

const NOTHING_FOUND = 'Nothing in the indexed files answers this. Use words that stand in the code.';

/** Answers questions about the workspace from search results. Holds no state: a conversation is its answers. */
export class Asker {
  readonly #sources: Sources;
  readonly #profile: AskProfile;

  constructor(sources: Sources, profile: AskProfile = QUESTION_PROFILE) {
    this.#sources = sources;
    this.#profile = profile;
  }

  /**
   * Finds passages, calls the provider, and restricts citations to existing passages. Ends with an error of `askErrors`
   * or of the search, or with `Cancelled`; a consumer that stops reading stops the provider.
   */
  async *ask({
    question,
    provider,
    reranker,
    history = [],
    signal,
  }: AskRequest): AsyncGenerator<AnswerEvent, void, undefined> {
    const stopped = new AbortController();
    const either = signal ? AbortSignal.any([signal, stopped.signal]) : stopped.signal;
    try {
      if (question.trim() === '') throw askErrors.noQuestion();
      const { info, budget } = provider;
      const limit = budget
        ? { passages: Infinity, tokens: budget.tokens }
        : { passages: reranker ? RERANKED : PASSAGES_SHOWN, tokens: Infinity };
      const problems = new Set<string>();
      // Other queries are made of the question.
      const search: Sources['search'] = (query, files, until) =>
        this.#sources.search(query, files, until, (problem) => {
          if (query === question) problems.add(problem);
        });
      const sources = { ...this.#sources, search };
      const retrieved = await retrievePassages(question, history, limit, sources, either, this.#profile);
      throwIfCancelled(either);
      const isOrdered = reranker !== undefined && retrieved.length > 1;
      const ordered = isOrdered ? await rerank(question, retrieved, reranker, either) : undefined;
      const inRank = ordered ? inOrder(retrieved, ordered.order) : retrieved;
      const found = budget ? inRank : renumbered(inRank.slice(0, PASSAGES_SHOWN));
      const reranked = ordered && { reranking: ordered.reranking };
      const { passages, messages, sent } = await makePrompt({ question, history, passages: found, budget }, either);
      const unclear = problems.size > 0 && { problems: [...problems] };
      yield { kind: 'sources', provider: info, passages, sent, ...reranked, ...unclear };

      const citations = new CitationFilter(passages);
      let markdown = '';
      const emit = (text: string): AnswerEvent[] => {
        markdown += text;
        return text === '' ? [] : [{ kind: 'text', text }];
      };
      if (passages.length === 0) yield* emit(NOTHING_FOUND);
      else
        for await (const text of provider.answer({ question, passages, messages }, either))
          yield* emit(citations.push(text));
      throwIfCancelled(either);
      yield* emit(citations.end());
      const { cited, removedCitations } = citations;
      const answer: Answer = { question, provider: info, sent, ...reranked, markdown, cited, removedCitations };
      yield { kind: 'done', answer };
    } catch (error) {
      // Cancellation precedes any error that a stopped provider throws.
      throwIfCancelled(signal);
      throw error;
    } finally {
      stopped.abort();
    }
  }
}
