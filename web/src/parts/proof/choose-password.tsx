import { Button } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { forgotPassword } from "../../api/account/account.ts";
import { identityQuery } from "../../api/account/session.ts";
import { Problem } from "../states/problem.tsx";

/** For an account without a password: a mail with a link by which its owner chooses one. */
export function ChoosePassword() {
  const { data: identity } = useQuery({ ...identityQuery, enabled: false });
  const send = useMutation({ mutationFn: forgotPassword });
  if (!identity) return null;
  return (
    <>
      <Problem error={send.error} />
      <div className="row wrap">
        <Button variant="default" loading={send.isPending} onClick={() => send.mutate(identity.email)}>
          Send me a link to choose a password
        </Button>
        <span role="status" className="meta">
          {send.isSuccess && (
            <>
              Sent to <bdi>{identity.email}</bdi>. The link works for an hour.
            </>
          )}
        </span>
      </div>
    </>
  );
}
