import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { after, type Loaded, useLoaded, usePaged } from '../live.js';
import { Confirm } from '../parts/confirm.jsx';
import { Form, TextField, useAction } from '../parts/form.jsx';
import { Badge } from '../parts/notice.jsx';
import { type Column, PagedTable } from '../parts/table.jsx';
import { Moment } from '../parts/time.jsx';
import { canUsePasskeys, createPasskey } from '../passkeys.js';
import { session } from '../session.js';
import { words } from '../words/index.js';
import { NewCodes, RenewCodes } from './recovery-codes.jsx';

type Schemas = components['schemas'];
type Passkey = Schemas['PasskeyDto'];

const W = words.passkeys;
const S = words.settings;

/** What logs in without a password: to add, to rename and to remove. */
export function Passkeys(): JSX.Element {
  const pages = usePaged('passkeys', (cursor, signal) =>
    session.value.client.get('/user/passkeys', { params: { query: after(cursor) }, signal }),
  );
  const totp = useLoaded('codes', (signal) => session.value.client.get('/user/totp', { signal }));
  const [codes, setCodes] = useState<readonly string[]>([]);
  const show = (shown: readonly string[]): void => {
    setCodes(shown);
    pages.reload();
    totp.reload();
  };
  const hasAny = (pages.rows?.length ?? 0) > 0;
  return (
    <section class="panel">
      <h2>{W.title}</h2>
      <p>{W.why}</p>
      <PagedTable
        label={W.title}
        columns={columnsOf({ onRenamed: pages.reload, onRemoved: () => show([]) })}
        pages={pages}
        none={W.none}
        keyOf={({ passkey_id: id }) => id}
      />
      {hasAny && <CodesLeft of={totp} onCodes={show} />}
      <NewCodes codes={codes} />
      {canUsePasskeys() ? <NewPasskey onMade={show} /> : <p>{W.unavailable}</p>}
    </section>
  );
}

interface CodesLeftProps {
  readonly of: Loaded<Schemas['TotpDto']>;
  readonly onCodes: (codes: readonly string[]) => void;
}

/** Who has an app, too, is told beside it. */
function CodesLeft({ of: { value }, onCodes }: CodesLeftProps): JSX.Element | null {
  if (value === undefined || value.is_enrolled) return null;
  return (
    <>
      <p>{S.authenticator.left({ codes: value.recovery_codes_left })}</p>
      <div class="row">
        <RenewCodes onCodes={onCodes} />
      </div>
    </>
  );
}

interface Changes {
  readonly onRenamed: () => void;
  readonly onRemoved: () => void;
}

function columnsOf({ onRenamed, onRemoved }: Changes): readonly Column<Passkey>[] {
  return [
    {
      title: S.name,
      cell: ({ name, is_backed_up: isBackedUp }) => (
        <>
          {name} {isBackedUp && <Badge tone="good" text={W.isBackedUp} />}
        </>
      ),
    },
    { title: S.created, isWide: true, cell: ({ created_at: at }) => <Moment at={at} /> },
    { title: S.lastUsed, isWide: true, cell: ({ last_used_at: at }) => <Moment at={at} /> },
    {
      title: S.actions,
      cell: (passkey) => (
        <div class="row">
          <Rename passkey={passkey} onDone={onRenamed} />
          <Confirm
            label={W.remove}
            of={passkey.name}
            what={W.removeWhat}
            work={() =>
              session.value.client.delete('/user/passkeys/{passkey_id}', { params: pathOf(passkey) })
            }
            onDone={onRemoved}
          />
        </div>
      ),
    },
  ];
}

interface RenameProps {
  readonly passkey: Passkey;
  readonly onDone: () => void;
}

function Rename({ passkey, onDone }: RenameProps): JSX.Element {
  const [name, setName] = useState(passkey.name);
  return (
    <Confirm
      label={W.rename}
      of={passkey.name}
      what={W.renameWhat}
      isDangerous={false}
      fields={['name']}
      work={() =>
        session.value.client.patch('/user/passkeys/{passkey_id}', { params: pathOf(passkey), body: { name } })
      }
      onDone={onDone}
    >
      {(action) => <TextField label={W.name} value={name} onChange={setName} error={action.errors['name']} />}
    </Confirm>
  );
}

function pathOf({ passkey_id }: Passkey): { path: { passkey_id: string } } {
  return { path: { passkey_id } };
}

interface NewPasskeyProps {
  /** With recovery codes for who had none. */
  readonly onMade: (codes: readonly string[]) => void;
}

function NewPasskey({ onMade }: NewPasskeyProps): JSX.Element {
  const [name, setName] = useState('');
  const [lacksName, setLacksName] = useState(false);
  const action = useAction(['name']);
  const add = async (): Promise<void> => {
    // Before the device makes one that the service then refuses.
    setLacksName(name.trim() === '');
    if (name.trim() === '') return;
    const { client } = session.value;
    let codes: readonly string[] = [];
    const isDone = await action.run(async () => {
      const response = await createPasskey(await client.post('/user/passkeys/options'));
      codes = (await client.post('/user/passkeys', { body: { name, response } })).recovery_codes ?? [];
      return W.added;
    });
    if (!isDone) return;
    setName('');
    onMade(codes);
  };
  return (
    <Form label={W.add} submit={W.add} action={action} onSubmit={() => void add()}>
      <TextField
        label={W.name}
        value={name}
        onChange={setName}
        error={lacksName ? W.lacksName : action.errors['name']}
        hint={W.nameHint}
      />
    </Form>
  );
}
