import { Component, type ReactNode } from 'react';
import { toHostError } from '../data/host-error.ts';
import { Button } from '../parts/button.tsx';
import { ErrorNote } from '../parts/error-note.tsx';
import { PartMissing } from '../parts/lazy-part.ts';

interface PlaceBoundaryProps {
  readonly children: ReactNode;
}

interface State {
  readonly error: unknown;
}

/** Keeps a fault of one place to that place: navigation, and all others, go on. */
export class PlaceBoundary extends Component<PlaceBoundaryProps, State> {
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
              hint: 'Load the page anew. What you changed here and did not save is lost by that; your bots are not affected.',
            }}
          />
          <p>
            <Button onClick={() => window.location.reload()}>Load the page anew</Button>
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
