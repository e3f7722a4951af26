import { Component, type ReactNode } from 'react';
import { Button } from '../components/button.tsx';
import { ErrorNote } from '../components/error-note.tsx';
import { PartMissing } from '../components/lazy-part.ts';
import { toHostError } from '../data/host-error.ts';

interface PageErrorBoundaryProps {
  readonly children: ReactNode;
}

interface State {
  readonly error: unknown;
}

/** Confines a fault to its page: navigation and all others keep working. */
export class PageErrorBoundary extends Component<PageErrorBoundaryProps, State> {
  override state: State = { error: null };

  static getDerivedStateFromError(error: unknown): State {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    if (error instanceof PartMissing) {
      return (
        <>
          <ErrorNote
            error={{
              code: 'PAGE_OUTDATED',
              message: error.message,
              hint: 'Reload the page. Changes that you did not save will be lost; your bots are not affected.',
            }}
          />
          <p>
            <Button onClick={() => window.location.reload()}>Reload the page</Button>
          </p>
        </>
      );
    }
    const { message } = toHostError(error);
    return (
      <>
        <ErrorNote
          error={{
            code: 'PAGE_FAILED',
            message: `This page has failed: ${message}`,
            hint: 'Your bots are not affected. Try it again, or reload the page.',
          }}
        />
        <p>
          <Button onClick={() => this.setState({ error: null })}>Try again</Button>
        </p>
      </>
    );
  }
}
