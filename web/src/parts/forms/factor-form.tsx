import { Button, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { KeyRound } from "lucide-react";
import {
  askPasskey,
  passkeyProblem,
  type FactorKind,
  type FactorProof,
} from "../../api/account/second-factors.ts";
import { Problem } from "../states/problem.tsx";
import { Form } from "./form.tsx";

interface Props {
  label: string;
  kinds: readonly FactorKind[];
  /** Ticket of the sign-in that the factor completes; without it, the signed-in user is verified. */
  ticket?: string;
  /** Label of the button that gives up. */
  cancel: string;
  error: Error | null;
  isPending: boolean;
  onProof: (proof: FactorProof) => void;
  onCancel: () => void;
}

/** Asks for a second factor: a passkey, or one field for the code of an app and for recovery codes. */
export function FactorForm({ label, kinds, ticket, cancel, error, isPending, onProof, onCancel }: Props) {
  const passkey = useMutation({ mutationFn: () => askPasskey(ticket), onSuccess: onProof });
  const takesTotp = kinds.includes("totp");
  return (
    <Form label={label} error={error} onSubmit={({ code = "" }) => onProof(proofOf(code))}>
      <Problem error={error} />
      {passkey.error && (
        <p className="note danger" role="alert">
          {passkeyProblem(passkey.error)}
        </p>
      )}
      {kinds.includes("passkey") && (
        <Button
          variant="default"
          leftSection={<KeyRound size={16} />}
          loading={passkey.isPending}
          data-autofocus={takesTotp ? undefined : true}
          onClick={() => passkey.mutate()}
        >
          Use a passkey
        </Button>
      )}
      <TextInput
        name="code"
        label={takesTotp ? "Code" : "Recovery code"}
        description={takesTotp ? "Six digits of your authenticator app, or a recovery code" : undefined}
        autoComplete="one-time-code"
        spellCheck={false}
        required
        data-autofocus={takesTotp ? true : undefined}
      />
      <div className="row wrap end">
        <Button variant="default" onClick={onCancel}>
          {cancel}
        </Button>
        <Button type="submit" loading={isPending}>
          Confirm
        </Button>
      </div>
    </Form>
  );
}

const proofOf = (typed: string): FactorProof =>
  /^[\d\s]+$/.test(typed) ? { code: typed } : { recoveryCode: typed };
