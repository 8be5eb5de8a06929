import * as l10n from '@vscode/l10n';
import type { Nodes } from 'mdast';
import type { ComponentChildren, JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { ShownPassage } from '../../src/protocol/answerView.ts';
import type { AnswerActions } from './actions.ts';
import { CodeBlock } from './codeBlock.tsx';
import { isWebAddress, parseAnswer } from './markdown.ts';
import { formatPlace } from './place.ts';

export interface MarkdownProps {
  readonly markdown: string;
  readonly passages: readonly ShownPassage[];
  readonly actions: AnswerActions;
  readonly exchange: number;
  /** Whether no model wrote the answer: each block of code is the passage that the paragraph above cites. */
  readonly isQuoted: boolean;
}

/** An answer as elements. No HTML is involved, so its content can become nothing but text. */
export function MarkdownView({ markdown, passages, actions, exchange, isQuoted }: MarkdownProps): JSX.Element {
  const open = (passage: number): void => actions.open(exchange, passage);
  const byNumber = useMemo(() => new Map(passages.map((passage) => [passage.number, passage])), [passages]);
  const nodes = useMemo(() => parseAnswer(markdown, (number) => byNumber.has(number)), [markdown, byNumber]);
  const passageOf = (code: Nodes): ShownPassage | undefined => {
    const above = isQuoted ? nodes[nodes.indexOf(code as (typeof nodes)[number]) - 1] : undefined;
    const citation = above?.type === 'paragraph' && above.children.find((child) => child.type === 'citation');
    return citation ? byNumber.get(citation.number) : undefined;
  };
  const show = (node: Nodes): ComponentChildren => {
    const children = (): ComponentChildren => ('children' in node ? node.children.map(show) : undefined);
    switch (node.type) {
      case 'citation': {
        const passage = byNumber.get(node.number);
        return passage && <CitationButton {...{ passage, open }} />;
      }
      case 'paragraph':
        return <p>{children()}</p>;
      case 'heading':
        // The question is the second level of the page.
        return <Heading level={Math.min(6, node.depth + 2)}>{children()}</Heading>;
      case 'strong':
        return <strong>{children()}</strong>;
      case 'emphasis':
        return <em>{children()}</em>;
      case 'inlineCode':
        return <code>{node.value}</code>;
      case 'code':
        return (
          <CodeBlock
            language={node.lang ?? ''}
            code={node.value}
            passage={passageOf(node)}
            {...{ actions, exchange }}
          />
        );
      case 'blockquote':
        return <blockquote>{children()}</blockquote>;
      case 'list':
        return node.ordered ? <ol start={node.start ?? 1}>{children()}</ol> : <ul>{children()}</ul>;
      case 'listItem':
        return <li>{children()}</li>;
      case 'break':
        return <br />;
      case 'thematicBreak':
        return <hr />;
      case 'link':
        return isWebAddress(node.url) ? (
          <a href={node.url} title={node.url}>
            {children()}
          </a>
        ) : (
          children()
        );
      case 'linkReference':
        return children();
      case 'image':
      case 'imageReference':
        return node.alt;
      case 'table':
        return (
          <div class="wide" tabIndex={0} role="group" aria-label={l10n.t('Table')}>
            <table>
              {node.children.map((row, i) => (
                <tr>
                  {row.children.map((cell) =>
                    i === 0 ? <th>{cell.children.map(show)}</th> : <td>{cell.children.map(show)}</td>,
                  )}
                </tr>
              ))}
            </table>
          </div>
        );
      case 'text':
      case 'html':
        return node.value;
      default:
        return undefined;
    }
  };
  return <>{nodes.map(show)}</>;
}

function Heading({ level, children }: { readonly level: number; readonly children: ComponentChildren }): JSX.Element {
  const Tag = `h${level}` as 'h3';
  return <Tag>{children}</Tag>;
}

function CitationButton({
  passage,
  open,
}: {
  readonly passage: ShownPassage;
  readonly open: (passage: number) => void;
}): JSX.Element {
  const place = formatPlace(passage);
  return (
    <button
      type="button"
      class="citation"
      title={place}
      aria-label={l10n.t('Passage {0}: {1}', passage.number, place)}
      onClick={() => open(passage.number)}
    >
      {passage.number}
    </button>
  );
}
