import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AxeResults, ElementContext, RunOptions } from 'axe-core';
import type { Frame, Page } from 'playwright-core';
import { ROOT } from './support.ts';

const AXE = readFileSync(join(ROOT, 'node_modules/axe-core/axe.min.js'), 'utf8');
/** Of all text, whatever its size. */
const LEAST_CONTRAST = 4.5;

/** What axe's script adds to the page that it is injected into. */
interface AxeWindow {
  readonly axe: {
    configure(spec: object): void;
    run(context: ElementContext, options: RunOptions): Promise<AxeResults>;
  };
}

/**
 * Fails unless axe-core finds nothing, every text has a contrast of at least 4.5 to what is behind it, and nothing is wider than
 * the page or the parts. `parts` are selectors of what is ours in a page that is not; without any it is all of it.
 */
export async function assertAccessible(frame: Frame | Page, name: string, parts: readonly string[] = []): Promise<void> {
  await frame.evaluate(AXE);
  const problems = await frame.evaluate(
    async ({ parts, LEAST_CONTRAST }) => {
      const { axe } = window as unknown as AxeWindow;
      const contrastRatio = { normal: { expected: LEAST_CONTRAST }, large: { expected: LEAST_CONTRAST } };
      axe.configure({ checks: [{ id: 'color-contrast', options: { contrastRatio } }] });
      const context = parts.length > 0 ? { include: parts.map((part) => [part]) } : document;
      // What it cannot judge is told only of contrast.
      const { violations, incomplete } = await axe.run(context as ElementContext, {
        // Of a part of a page, nobody can tell whether the page has headings and landmarks.
        rules: parts.length > 0 ? { region: { enabled: false } } : {},
      });
      const found = [...violations, ...incomplete.filter(({ id }) => id === 'color-contrast')].flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary = '', any }) => {
          const why = any.map(({ message }) => message).join(' ') || failureSummary;
          return `${id}: ${html.slice(0, 200)}\n    ${why}`;
        }),
      );
      const roots = parts.length > 0 ? parts.flatMap((part) => [...document.querySelectorAll(part)]) : [document.documentElement];
      for (const root of roots) {
        const { right } = root.getBoundingClientRect();
        for (const element of [root, ...root.querySelectorAll('*')]) {
          const box = element.getBoundingClientRect();
          if (box.width === 0 || box.right <= right + 1 || clipped(element, root)) continue;
          found.push(`wider than the page by ${Math.round(box.right - right)} px: ${element.outerHTML.slice(0, 200)}`);
        }
      }
      return found;

      /** Whether something around it scrolls or cuts what is too wide, and is itself within. */
      function clipped(element: Element, root: Element): boolean {
        for (let at = element.parentElement; at && at !== root.parentElement; at = at.parentElement) {
          const isWithin = at.getBoundingClientRect().right <= root.getBoundingClientRect().right + 1;
          if (getComputedStyle(at).overflowX !== 'visible' && isWithin) return true;
        }
        return false;
      }
    },
    { parts: [...parts], LEAST_CONTRAST },
  );
  assert.deepEqual(problems, [], `${name}:\n  ${problems.join('\n  ')}`);
}
