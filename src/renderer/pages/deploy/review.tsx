import { useMemo } from 'react';
import type { Schema } from '../../../shared/json-schema.ts';
import { typed } from '../../../shared/npx-command.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { hideSecrets } from '../../components/schema-form/hide-and-restore-secrets.ts';
import styles from './deploy.module.css';
import { REQUEST_FILE, type Request, requestText } from './draft.ts';

/** Request to be sent, and the command that does the same. Secrets are not repeated. */
export function Review({ request, schema }: { readonly request: Request; readonly schema: Schema }) {
  const { shown, hidden } = useMemo(() => {
    const config = hideSecrets(schema, request.config);
    return { shown: { ...request, config }, hidden: JSON.stringify(config) !== JSON.stringify(request.config) };
  }, [request, schema]);
  return (
    <div className={styles.review}>
      <p className={styles.dim}>
        The same from the command line, with the request below saved as <code>{REQUEST_FILE}</code>
        {hidden ? ' and your secrets in place of ********' : ''}:
      </p>
      <CodeBlock label="command" text={typed(`bot deploy ${REQUEST_FILE}`)} />
      <details className={styles.details}>
        <summary>
          The request: <code>POST /api/v1/bots</code>
        </summary>
        <CodeBlock label="request" text={requestText(shown)} />
      </details>
    </div>
  );
}
