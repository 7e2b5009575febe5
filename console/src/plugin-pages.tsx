/** Pages that plugins of the service add: modules that the service serves, and names in the page. */
import type { MountConsolePage } from '@tradepost/client';
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { wordsOf } from './live.js';
import type { Page } from './page.js';
import { Failure } from './parts/notice.jsx';
import { baseUrl, navigate, type PageProps, toldByService } from './router.jsx';
import { session } from './session.js';
import { useStore } from './store.js';

/** As the service lists them; its addresses are below the console. */
interface PluginPage {
  readonly path: string;
  readonly title: string;
  readonly audience: 'everybody' | 'users' | 'operators';
  readonly script: string;
  readonly styles?: string;
}

const NEEDS = { everybody: 'nobody', users: 'user', operators: 'operator' } as const;
/** Plugins may divide their pages as they like. */
const DEPTH = 8;

export function pluginPages(): readonly Page[] {
  const pages = JSON.parse(toldByService('plugin-pages') ?? '[]') as readonly PluginPage[];
  return pages.map(({ path, title, audience, script, styles }) => ({
    path,
    title,
    group: audience === 'operators' ? 'desk' : 'trading',
    needs: NEEDS[audience],
    depth: DEPTH,
    load: async () => {
      const module = (await import(/* @vite-ignore */ new URL(script, baseUrl()).href)) as {
        readonly default: MountConsolePage;
      };
      return (props) => <Mounted {...props} mount={module.default} styles={styles} />;
    },
  }));
}

interface MountedProps extends PageProps {
  readonly mount: MountConsolePage;
  readonly styles: string | undefined;
}

/** Gives a plugin's page an element of its own, and another one for each address and each user. */
function Mounted({ rest, mount, styles }: MountedProps): JSX.Element {
  const { client, user } = useStore(session);
  const [failure, setFailure] = useState('');
  const place = useRef<HTMLDivElement | null>(null);
  const username = user?.username ?? null;
  useEffect(() => {
    const stop = new AbortController();
    const element = document.createElement('div');
    place.current!.replaceChildren(element);
    setFailure('');
    const fill = async (): Promise<void> =>
      mount(element, { client, username, rest, navigate, signal: stop.signal });
    fill().catch((error: unknown) => {
      if (!stop.signal.aborted) setFailure(wordsOf(error));
    });
    return () => stop.abort();
  }, [mount, client, username, rest.join('/')]);
  return (
    <>
      {styles !== undefined && <link rel="stylesheet" href={new URL(styles, baseUrl()).pathname} />}
      {failure !== '' && <Failure text={failure} />}
      <div ref={place} class="plugin-page" />
    </>
  );
}
