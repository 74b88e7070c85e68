import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { factorsQuery } from "../../../api/account/second-factors.ts";
import { readSession } from "../../../api/account/session.ts";
import { isUser } from "../../../api/account/sign-in-again.ts";
import { providerSignIn } from "../../../parts/proof/provider-sign-in.ts";
import { Problem } from "../../../parts/states/problem.tsx";

interface Props {
  /** Path at which the sign-in through the identity provider starts. */
  start: string;
  onDone: () => void;
  onCancel: () => void;
}

/** For an account without password and factor. The sign-in is in another tab, so that nothing typed here is lost. */
export function ProviderStep({ start, onDone, onCancel }: Props) {
  const client = useQueryClient();
  const [isOpened, setOpened] = useState(false);
  const check = useMutation({
    mutationFn: async () => {
      const user = await readSession();
      // Another person at the provider must not send what the first one typed.
      if (user && !isUser(user.id)) {
        location.reload();
        return undefined;
      }
      const state = await client.fetchQuery({ ...factorsQuery, staleTime: 0 });
      return user !== null && state.verifiedUntil !== null;
    },
    onSuccess: (isVerified) => isVerified === true && onDone(),
  });
  return (
    <>
      <p>
        Your account has no password: sign in through your identity provider again, in a new tab. Then return
        to this tab and continue.
      </p>
      {check.data === false && (
        <p role="alert">You have not signed in again yet: complete the sign-in in the other tab.</p>
      )}
      <Problem error={check.error} />
      <div className="row wrap end">
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
        <Button
          variant={isOpened ? "default" : "filled"}
          component="a"
          href={providerSignIn(start)}
          target="_blank"
          rel="noopener"
          data-autofocus
          onClick={() => setOpened(true)}
        >
          Open the sign-in
        </Button>
        <Button
          variant={isOpened ? "filled" : "default"}
          loading={check.isPending}
          onClick={() => check.mutate()}
        >
          Continue
        </Button>
      </div>
    </>
  );
}
