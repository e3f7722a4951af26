import { AllowedInterpreter, NewInterpreter, OfInterpreter } from './interpreters.ts';
import { call, callInPerson, callWithPin, type Operation } from './operation.ts';
import { list, none } from './operation-fields.ts';

const DOCS = { docs: 'docs/hosting.md#interpreters' } as const;

/** Rows of the operation table: interpreters that packages may name. Only a person changes which. */
export const INTERPRETER_OPERATIONS = {
  'interpreters.list': call(
    ['GET', '/api/v1/host/interpreters'],
    'read',
    'The interpreters that packages may name here; none at first',
    none,
    list(AllowedInterpreter),
    DOCS,
  ),
  'interpreters.allow': callWithPin(
    ['POST', '/api/v1/host/interpreters'],
    'owner',
    'Let bots run with an interpreter that their package names',
    NewInterpreter,
    AllowedInterpreter,
    {
      ...DOCS,
      target: 'name',
      errors: ['INVALID_REQUEST', 'INTERPRETER_UNUSABLE'],
      audit: ['allowed', 'allow', '[the interpreter {name}|an interpreter]'],
    },
  ),
  'interpreters.remove': callInPerson(
    ['DELETE', '/api/v1/host/interpreters/{interpreter}'],
    'owner',
    'Let no further program start with an interpreter; those that run go on',
    OfInterpreter,
    OfInterpreter,
    {
      ...DOCS,
      effect: 'destructive',
      errors: ['INVALID_REQUEST'],
      audit: ['removed', 'remove', '[the interpreter {interpreter}|an interpreter]'],
    },
  ),
} as const satisfies Record<string, Operation>;
