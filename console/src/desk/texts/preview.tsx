import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { wordsOf } from '../../live.js';
import { RichText } from '../../parts/rich-text.jsx';
import { session } from '../../session.js';
import { words } from '../../words/index.js';
import type { Kind } from './calls.js';

type TextPreview = components['schemas']['TextPreviewDto'];

const W = words.deskTexts;
/** How long a text stays as it is before the service is asked what becomes of it. */
const PREVIEW_AFTER_MS = 400;

interface PreviewProps {
  readonly kind: Kind;
  readonly markdown: string;
}

/** What becomes of a text, as the service makes it, while it is written. */
export function Preview({ kind, markdown }: PreviewProps): JSX.Element {
  const [preview, setPreview] = useState<TextPreview | null>(null);
  const [failure, setFailure] = useState('');
  useEffect(() => {
    if (markdown.trim() === '') {
      setPreview(null);
      return;
    }
    const stop = new AbortController();
    const ask = async (): Promise<void> => {
      try {
        const body = { kind: kind === 'posts' ? 'post' : 'page', markdown } as const;
        setPreview(await session.value.client.post('/admin/blog/preview', { body, signal: stop.signal }));
        setFailure('');
      } catch (error) {
        if (!stop.signal.aborted) setFailure(wordsOf(error));
      }
    };
    const timer = setTimeout(() => void ask(), PREVIEW_AFTER_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [kind, markdown]);
  return (
    <section class="panel" aria-label={W.preview}>
      <h2>{W.preview}</h2>
      {failure !== '' && <p class="error">{failure}</p>}
      {preview === null ? (
        <p class="hint">{W.previewEmpty}</p>
      ) : (
        <>
          <p class="hint">{W.readingTime({ count: preview.reading_time })}</p>
          <RichText html={preview.html} />
        </>
      )}
    </section>
  );
}
