import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useLoaded } from '../../live.js';
import { Choice } from '../../parts/field.jsx';
import { Form, TextField, useAction } from '../../parts/form.jsx';
import { WhenLoaded } from '../../parts/notice.jsx';
import { Link, navigate } from '../../router.jsx';
import { words } from '../../words/index.js';
import { callsOf, type Entry, idOf, type Kind, type WritePost } from './calls.js';
import { Preview } from './preview.jsx';

const W = words.deskTexts;

interface EntryEditorProps {
  readonly kind: Kind;
  /** Undefined for one that is yet to be written. */
  readonly id: string | undefined;
}

interface Known {
  readonly entry: Entry | undefined;
  /** Of the version that is changed: a later one is not written over. */
  readonly etag: string;
}

export function EntryEditor({ kind, id }: EntryEditorProps): JSX.Element {
  const loaded = useLoaded<Known>(id ?? 'new', async (signal) => {
    if (id === undefined) return { entry: undefined, etag: '' };
    const response = await callsOf(kind).one(id, signal);
    return { entry: (await response.json()) as Entry, etag: response.headers.get('etag') ?? '' };
  });
  return (
    <>
      <Link to={`desk/texts/${kind}`}>{W.all[kind]}</Link>
      <WhenLoaded of={loaded}>
        {(known) => (
          <Editor
            key={`${known.entry?.version ?? 0} ${known.entry?.status ?? ''}`}
            kind={kind}
            known={known}
            onSaved={loaded.reload}
          />
        )}
      </WhenLoaded>
    </>
  );
}

interface Draft {
  readonly title: string;
  readonly slug: string;
  readonly status: Entry['status'];
  /** As the input has it, in UTC. */
  readonly publishedAt: string;
  readonly markdown: string;
  readonly category: string;
  readonly tags: string;
  readonly featureImage: string;
  readonly excerpt: string;
}

function draftOf(entry: Entry | undefined): Draft {
  const post = entry !== undefined && 'post_id' in entry ? entry : undefined;
  return {
    title: entry?.title ?? '',
    slug: entry?.slug ?? '',
    status: entry?.status ?? 'draft',
    publishedAt: entry?.published_at?.slice(0, 16) ?? '',
    markdown: entry?.markdown ?? '',
    category: post?.category?.name ?? '',
    tags: post?.tags.map(({ name }) => name).join(', ') ?? '',
    featureImage: post?.feature_image ?? '',
    excerpt: post?.custom_excerpt ?? '',
  };
}

function bodyOf(draft: Draft, known: Draft): WritePost {
  const tags = draft.tags
    .split(',')
    .map((tag) => tag.trim())
    .filter(Boolean);
  return {
    title: draft.title,
    markdown: draft.markdown,
    status: draft.status,
    ...(draft.slug !== '' && { slug: draft.slug }),
    // Seconds that the input does not show stay as they were where nobody has changed the time.
    ...(draft.publishedAt !== '' &&
      draft.publishedAt !== known.publishedAt && { published_at: `${draft.publishedAt}:00.000Z` }),
    ...(draft.category !== '' && { category: draft.category }),
    ...(tags.length > 0 && { tags }),
    ...(draft.featureImage !== '' && { feature_image: draft.featureImage }),
    ...(draft.excerpt !== '' && { custom_excerpt: draft.excerpt }),
  };
}

interface EditorProps {
  readonly kind: Kind;
  readonly known: Known;
  readonly onSaved: () => void;
}

const FIELDS = [
  ...['title', 'slug', 'status', 'published_at', 'markdown'],
  ...['category', 'tags', 'feature_image', 'custom_excerpt'],
];

function Editor({ kind, known: { entry, etag }, onSaved }: EditorProps): JSX.Element {
  const [draft, setDraft] = useState(() => draftOf(entry));
  const action = useAction(FIELDS);
  const change = (changes: Partial<Draft>): void => setDraft({ ...draft, ...changes });
  const save = async (): Promise<string> => {
    const calls = callsOf(kind);
    const body = bodyOf(draft, draftOf(entry));
    if (entry === undefined) navigate(`desk/texts/${kind}/${idOf(await calls.create(body))}`);
    else {
      await calls.replace(idOf(entry), body, etag);
      onSaved();
    }
    return W.saved;
  };
  const title = entry === undefined ? W.write[kind] : W.change[kind];
  return (
    <div class="panels">
      <section class="panel">
        <div class="row">
          <h2>{title}</h2>
          {entry?.status === 'published' && (
            <a href={entry.url} rel="noreferrer" target="_blank">
              {W.see}
            </a>
          )}
        </div>
        <Form label={title} submit={W.save} action={action} onSubmit={() => void action.run(save)}>
          <EntryFields kind={kind} draft={draft} onChange={change} errors={action.errors} />
        </Form>
      </section>
      <Preview kind={kind} markdown={draft.markdown} />
    </div>
  );
}

interface EntryFieldsProps {
  readonly kind: Kind;
  readonly draft: Draft;
  readonly onChange: (changes: Partial<Draft>) => void;
  readonly errors: Readonly<Record<string, string>>;
}

function EntryFields({ kind, draft, onChange, errors }: EntryFieldsProps): JSX.Element {
  const text = (field: keyof Draft, label: string, name: string, hint?: string): JSX.Element => (
    <TextField
      label={label}
      value={draft[field]}
      onChange={(value) => onChange({ [field]: value })}
      hint={hint}
      error={errors[name]}
    />
  );
  return (
    <>
      {text('title', W.heading, 'title')}
      <TextField
        label={W.markdown}
        rows={18}
        value={draft.markdown}
        onChange={(markdown) => onChange({ markdown })}
        hint={W.markdownHint}
        error={errors['markdown']}
      />
      {text('slug', W.slug, 'slug', W.slugHint)}
      {kind === 'posts' && (
        <>
          {text('category', W.category, 'category')}
          {text('tags', W.tags, 'tags', W.tagsHint)}
          {text('featureImage', W.featureImage, 'feature_image')}
          {text('excerpt', W.excerpt, 'custom_excerpt', W.excerptHint)}
        </>
      )}
      <Choice
        label={W.status}
        value={draft.status}
        options={W.statuses}
        onChange={(status) => onChange({ status })}
        error={errors['status']}
      />
      <TextField
        label={W.publishedAt}
        type="datetime-local"
        value={draft.publishedAt}
        onChange={(publishedAt) => onChange({ publishedAt })}
        hint={W.publishedHint}
        error={errors['published_at']}
      />
    </>
  );
}
