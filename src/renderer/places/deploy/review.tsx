import { useMemo } from 'react';
import type { Schema } from '../../../isomorphic/schema.ts';
import { CodeBlock } from '../../parts/code-block.tsx';
import { hideSecrets } from '../../parts/schema-form/hide.ts';
import styles from './deploy.module.css';
import { cliLine, type Request } from './draft.ts';

/** What will be sent, and the command that does the same. Secrets are not repeated. */
export function Review({ request, schema }: { readonly request: Request; readonly schema: Schema }) {
  const { shown, hidden } = useMemo(() => {
    const config = hideSecrets(schema, request.config);
    return { shown: { ...request, config }, hidden: JSON.stringify(config) !== JSON.stringify(request.config) };
  }, [request, schema]);
  return (
    <div className={styles.review}>
      <p className={styles.dim}>
        The same from the command line{hidden ? '; put your secrets in place of ********' : ''}:
      </p>
      <CodeBlock label="command" text={cliLine(shown)} />
      <details className={styles.details}>
        <summary>
          The request: <code>POST /api/v1/bots</code>
        </summary>
        <CodeBlock label="request" text={JSON.stringify(shown, null, 2)} />
      </details>
    </div>
  );
}
