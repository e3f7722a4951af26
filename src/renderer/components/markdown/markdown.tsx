import { useMemo } from 'react';
import styles from './markdown.module.css';
import { type Block, type Inline, readMarkdown } from './parse-markdown.ts';

function Text({ content }: { readonly content: readonly Inline[] }) {
  return content.map((one, i) => {
    const key = `${i} ${one.text}`;
    if (one.kind === 'code') return <code key={key}>{one.text}</code>;
    if (one.kind === 'strong') return <strong key={key}>{one.text}</strong>;
    if (one.kind === 'em') return <em key={key}>{one.text}</em>;
    if (one.kind !== 'link') return <span key={key}>{one.text}</span>;
    return (
      <a key={key} href={one.href} target="_blank" rel="noreferrer">
        {one.text}
      </a>
    );
  });
}

function Table({ block }: { readonly block: Extract<Block, { kind: 'table' }> }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section className={styles.scroll} tabIndex={0} aria-label="Table">
      <table>
        <thead>
          <tr>
            {block.head.map((cell, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: cells of a text that does not change
              <th key={i}>
                <Text content={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {block.rows.map((row, y) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: as above
            <tr key={y}>
              {row.map((cell, x) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: as above
                <td key={x}>
                  <Text content={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Part({ block }: { readonly block: Block }) {
  if (block.kind === 'code') {
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    return <pre tabIndex={0}>{block.text}</pre>;
  }
  if (block.kind === 'table') return <Table block={block} />;
  if (block.kind === 'list') {
    const List = block.ordered ? 'ol' : 'ul';
    return (
      <List>
        {block.items.map((item, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: items of a text that does not change
          <li key={i}>
            <Text content={item} />
          </li>
        ))}
      </List>
    );
  }
  // The page has its own first heading.
  const Head = block.kind === 'paragraph' ? 'p' : block.level <= 1 ? 'h2' : block.level === 2 ? 'h3' : 'h4';
  return (
    <Head>
      <Text content={block.content} />
    </Head>
  );
}

/** A readme, as far as readmes go: nothing in it can run or load anything. */
export function Markdown({ text }: { readonly text: string }) {
  const blocks = useMemo(() => readMarkdown(text), [text]);
  return (
    <div className={styles.text}>
      {blocks.map((block, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text that does not change
        <Part key={i} block={block} />
      ))}
    </div>
  );
}
