"""The job queue's tables, and which jobs each role may add to it.

A job runs with the rights of the jobs process, over every tenant. So the roles cannot add any job
that they like: PostgreSQL compares each new one with the table ``job_names``.
"""

from __future__ import annotations

from alembic import op
from procrastinate.schema import SchemaManager
from sqlalchemy import Connection, text

from control_plane.platform.database import APP_ROLE, SYSTEM_ROLE

JOBS_OF_REQUESTS = (
    "batches.cancel_calls",
    "batches.make_calls",
    "erasure.erase_caller",
    "erasure.look_again",
    "intelligence.analyse_call",
    "knowledge.delete_bundles",
    "knowledge.ingest",
    "payments.credit_fell",
    "recordings.assemble",
)
"""Requests add these, for their own tenant. Their argument ``tenant_id`` says for which."""

OTHER_JOBS = (
    "accounts.forget_what_expired",
    "billing.audit_books",
    "chat_sessions.delete_expired",
    "idempotency.forget_old_answers",
    "intelligence.give_up_abandoned",
    "job_queue.delete_ended_jobs",
    "job_queue.rescue_stalled_jobs",
    "knowledge.embed_again",
    "knowledge.refresh_due",
    "notifications.delete_old",
    "notifications.send_mail",
    "notifications.send_sms",
    "notifications.tell_summaries",
    "partitions.make",
    "payments.audit",
    "payments.delete_old_events",
    "payments.reconcile",
    "payments.reconcile_captures",
    "payments.reconcile_reversals",
    "plans.renew_credit",
    "recordings.delete_refused",
    "recordings.remove_parts",
    "retention.delete_expired",
    "spend_alerts.send_mail",
    "spend_alerts.watch",
    "transfers.dial",
    "webhooks.delete_expired",
    "webhooks.send_alert",
)
"""Only the jobs process adds these."""

_GIVEN = "queue_name, task_name, priority, lock, queueing_lock, args, scheduled_at"
_CHANGED = "status, worker_id, attempts, abort_requested, scheduled_at, priority, queue_name, lock"


def create_job_queue() -> None:
    """Create the tables, unless a release before revision 0022 has."""
    connection = op.get_bind()
    if connection.scalar(text("SELECT to_regclass('procrastinate_jobs')")) is not None:
        return
    # Directly through the driver, unprepared: the schema has many statements, with % and : in them.
    driver = connection.connection.driver_connection
    assert driver is not None
    driver.execute(SchemaManager.get_schema(), prepare=False)


def restrict_job_queue() -> None:
    """Requests may only add jobs. The jobs process sees those of every tenant."""
    op.execute(
        f"""
        REVOKE ALL ON procrastinate_jobs, procrastinate_events, procrastinate_workers,
            procrastinate_periodic_defers FROM {APP_ROLE}, {SYSTEM_ROLE}
        """
    )
    op.execute(f"GRANT INSERT ({_GIVEN}), SELECT (id) ON procrastinate_jobs TO {APP_ROLE}")
    op.execute(f"GRANT INSERT ON procrastinate_events TO {APP_ROLE}")
    op.execute(
        f"GRANT INSERT ({_GIVEN}), UPDATE ({_CHANGED}), SELECT, DELETE ON procrastinate_jobs"
        f" TO {SYSTEM_ROLE}"
    )
    op.execute(
        f"""
        GRANT SELECT, INSERT, UPDATE, DELETE ON procrastinate_events, procrastinate_workers,
            procrastinate_periodic_defers TO {SYSTEM_ROLE}
        """
    )
    op.execute(
        f"GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO {APP_ROLE}, {SYSTEM_ROLE}"
    )
    # A trigger and no policy: with row-level security, PostgreSQL leaves out of its errors what
    # procrastinate reads there.
    op.execute(
        f"""
        CREATE FUNCTION switchboard_guard_job() RETURNS trigger
        LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
        BEGIN
            IF NOT EXISTS (
                SELECT FROM job_names WHERE name = NEW.task_name AND (
                    pg_has_role(current_user, '{SYSTEM_ROLE}', 'USAGE')
                    OR by_requests AND NEW.args ->> 'tenant_id' = switchboard_tenant_id()::text
                )
            ) THEN
                RAISE EXCEPTION '% may not add the job %', current_user, NEW.task_name
                    USING ERRCODE = 'insufficient_privilege';
            END IF;
            RETURN NEW;
        END $$
        """
    )
    op.execute(
        """
        CREATE TRIGGER guard_job BEFORE INSERT ON procrastinate_jobs
        FOR EACH ROW EXECUTE FUNCTION switchboard_guard_job()
        """
    )


def write_job_names(connection: Connection) -> None:
    """Allow this release's jobs. Those of the previous release stay allowed."""
    names = [{"name": name, "by_requests": True} for name in JOBS_OF_REQUESTS]
    names += [{"name": name, "by_requests": False} for name in OTHER_JOBS]
    connection.execute(
        text(
            "INSERT INTO job_names (name, by_requests) VALUES (:name, :by_requests)"
            " ON CONFLICT (name) DO UPDATE SET by_requests = excluded.by_requests"
        ),
        names,
    )
