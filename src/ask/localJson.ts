const WAIT_MS = 800;
const MAX_BYTES = 1_000_000;

/**
 * The JSON that a program on this machine answers with; `undefined` where none listens, or something else does. Follows no
 * redirect.
 */
export async function readLocalJson(
  url: string | URL,
  headers: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  try {
    // Loaded here: a large library, which most users never need.
    const { request, Agent } = await import('../base/undici.ts');
    const agent = new Agent();
    try {
      const signal = AbortSignal.timeout(WAIT_MS);
      const { statusCode, body } = await request(url, { signal, headers, dispatcher: agent });
      if (statusCode !== 200) return undefined;
      let text = '';
      for await (const part of body) {
        text += String(part);
        if (text.length > MAX_BYTES) return undefined;
      }
      return JSON.parse(text) as unknown;
    } finally {
      await agent.destroy();
    }
  } catch {
    return undefined;
  }
}
