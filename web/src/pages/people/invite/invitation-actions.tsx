import { Button, CopyButton, Modal } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { serviceQuery } from "../../../api/home.ts";
import {
  invitationLink,
  invitationsQuery,
  resendInvitation,
  withdrawInvitation,
  type Invitation,
} from "../../../api/organization/people.ts";
import { Command } from "../../../parts/copy/command.tsx";
import { ConfirmDialog } from "../../../parts/forms/confirm-dialog.tsx";
import { Problem } from "../../../parts/states/problem.tsx";

interface Props {
  org: string;
  invitation: Invitation;
}

const look = { size: "compact-sm", variant: "subtle", color: "gray" } as const;

/** Actions on an open invitation. */
export function InvitationActions({ org, invitation }: Props) {
  const { id, email, url = "" } = invitation;
  const client = useQueryClient();
  const { data: service } = useQuery(serviceQuery);
  const [asked, setAsked] = useState<"link" | "withdraw">();
  const refresh = () => client.invalidateQueries({ queryKey: invitationsQuery(org).queryKey });
  const resend = useMutation({ mutationFn: () => resendInvitation(org, id), onSettled: refresh });
  const close = () => setAsked(undefined);
  return (
    <>
      <Problem error={resend.error} />
      {service?.mail === false ? (
        <Button {...look} onClick={() => setAsked("link")}>
          Get link
        </Button>
      ) : (
        <>
          <CopyButton value={url}>
            {({ copied, copy }) => (
              <Button {...look} onClick={copy}>
                {copied ? "Copied" : "Copy link"}
              </Button>
            )}
          </CopyButton>
          <Button {...look} loading={resend.isPending} onClick={() => resend.mutate()}>
            Resend
          </Button>
        </>
      )}
      <Button {...look} onClick={() => setAsked("withdraw")}>
        Withdraw
      </Button>
      {asked === "link" && <LinkDialog org={org} invitation={invitation} onRead={refresh} onClose={close} />}
      {asked === "withdraw" && (
        <ConfirmDialog
          title="Withdraw invitation"
          action="Withdraw"
          isDangerous
          run={async () => {
            await withdrawInvitation(org, id);
            await refresh();
          }}
          onClose={close}
        >
          <p>
            The link of <b>{email}</b> stops working. You can invite the address again.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}

interface LinkProps extends Props {
  onRead: () => Promise<unknown>;
  onClose: () => void;
}

/** The link to hand over, on a service without a mail server. Whoever gets it becomes the invitation's sender. */
function LinkDialog({ org, invitation: { id, email, invitedBy }, onRead, onClose }: LinkProps) {
  const read = useMutation({ mutationFn: () => invitationLink(org, id), onSuccess: onRead });
  return (
    <Modal opened onClose={onClose} title={`Link for ${email}`}>
      <div className="stack gap-4">
        <p>Whoever has the link can create the account of {email}, and join. Send it to that person only.</p>
        <p className="sub">
          You become the sender of the invitation, in place of {invitedBy}, if it is not yours.
        </p>
        <Problem error={read.error} />
        {read.data ? (
          <Command text={read.data.url} label="Copy link" prompt="" />
        ) : (
          <Button data-autofocus w="fit-content" loading={read.isPending} onClick={() => read.mutate()}>
            Show link
          </Button>
        )}
      </div>
    </Modal>
  );
}
