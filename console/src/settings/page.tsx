import type { JSX } from 'preact';
import { SubNav } from '../parts/sub-nav.jsx';
import type { PageProps } from '../router.jsx';
import { words } from '../words/index.js';
import { Clients } from './clients.jsx';
import { Keys } from './keys.jsx';
import { OwnData } from './own-data.jsx';
import { Security } from './security.jsx';
import { SigningKeys } from './signing-keys.jsx';
import { Webhooks } from './webhooks.jsx';

const PARTS = words.settings.parts;

const SHOWN: Readonly<Record<string, (props: PageProps) => JSX.Element>> = {
  security: Security,
  keys: Keys,
  signing: SigningKeys,
  clients: Clients,
  webhooks: Webhooks,
  data: OwnData,
};

export function Settings({ rest: [part = 'security', ...rest] }: PageProps): JSX.Element {
  const Part = SHOWN[part] ?? Security;
  return (
    <>
      <SubNav label={words.settings.title} base="settings" parts={PARTS} current={part} />
      <Part key={`${part} ${rest.join(' ')}`} rest={rest} />
    </>
  );
}
