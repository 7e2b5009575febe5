import type { JSX } from 'preact';
import { useLoaded } from '../live.js';
import { CheckList } from '../parts/check-list.jsx';
import { WhenLoaded } from '../parts/notice.jsx';
import { serviceUrl } from '../router.jsx';
import { words } from '../words/index.js';

const W = words.settings.webhooks;

interface EventTypesProps {
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
  readonly error: string | undefined;
}

/** The types of events that this service sends, those of its plugins, too: its document lists them. */
export function EventTypes({ chosen, onChange, error }: EventTypesProps): JSX.Element {
  const types = useLoaded('types', async (signal) => {
    const answer = await fetch(new URL('openapi.json', serviceUrl()), { signal });
    const { webhooks } = (await answer.json()) as { readonly webhooks: Readonly<Record<string, unknown>> };
    return Object.keys(webhooks).filter((type) => !type.startsWith('webhook.'));
  });
  return (
    <WhenLoaded of={types}>
      {(options) => (
        <CheckList
          label={W.events}
          hint={W.eventsHint}
          options={options}
          chosen={chosen}
          onChange={onChange}
          error={error}
        />
      )}
    </WhenLoaded>
  );
}
