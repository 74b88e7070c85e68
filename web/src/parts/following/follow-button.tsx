import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Bell, BellRing } from "lucide-react";
import { follow, followsQuery, unfollow, type Follow } from "../../api/following.ts";

interface Props {
  target: Pick<Follow, "kind" | "targetId" | "name">;
  size?: "xs" | "sm";
}

/** Follows a skill or folder, or ends that. For signed-in users. */
export function FollowButton({ target, size = "sm" }: Props) {
  const client = useQueryClient();
  const follows = useQuery(followsQuery);
  const own = follows.data?.find(({ targetId }) => targetId === target.targetId);
  const toggle = useMutation({
    mutationFn: async (): Promise<Follow | undefined> => {
      if (!own) return follow(target);
      await unfollow(own.id);
      return undefined;
    },
    onSuccess: (made) =>
      client.setQueryData(followsQuery.queryKey, (list = []) => [
        ...list.filter(({ targetId }) => targetId !== target.targetId),
        ...(made ? [made] : []),
      ]),
  });
  const Icon = own ? BellRing : Bell;
  const { error } = toggle;
  return (
    <>
      {error && (
        <span className="meta danger" role="alert">
          {error.message}
        </span>
      )}
      <Button
        size={size}
        variant="default"
        leftSection={<Icon size={size === "xs" ? 14 : 16} />}
        title="Changes of what you follow are on Home, and in mails if you choose"
        aria-label={own ? `Following ${target.name}: unfollow` : `Follow ${target.name}`}
        loading={toggle.isPending}
        disabled={follows.isPending}
        onClick={() => toggle.mutate()}
      >
        {own ? "Following" : "Follow"}
      </Button>
    </>
  );
}
