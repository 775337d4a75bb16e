"""The parts of the API as the two clients offer them. ``operations`` describes each method."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from datetime import datetime
from pathlib import Path
from uuid import UUID

from switchboard_client import csv_export, downloads, streaming
from switchboard_client.downloads import AudioFormat
from switchboard_client.facade import (
    AsyncResource,
    Resource,
    async_iterating,
    awaitable,
    blocking,
    iterating,
)
from switchboard_client.live_view import LiveEvent, LiveView
from switchboard_client.operations import (
    agents,
    api_keys,
    batches,
    billing,
    calls,
    carriers,
    catalogue,
    chat_sessions,
    erasures,
    knowledge,
    notifications,
    numbers,
    sharing,
    webhooks,
)


class Calls(Resource):
    create = blocking(calls.create)
    create_webrtc = blocking(calls.create_webrtc)
    page = blocking(calls.page)
    every = iterating(calls.every)
    active = blocking(calls.active)
    show = blocking(calls.show)
    events = blocking(calls.events)
    every_event = iterating(calls.every_event)
    transcript = blocking(calls.transcript)
    queue_stats = blocking(calls.queue_stats)
    end = blocking(calls.end)
    daily_latencies = blocking(calls.daily_latencies)
    bill = blocking(calls.bill)
    legs = blocking(calls.legs)
    give_feedback = blocking(calls.give_feedback)
    add_participants = blocking(calls.add_participants)
    recording = blocking(calls.recording)
    summary = blocking(calls.summary)
    reprocess = blocking(calls.reprocess)

    def stream(
        self, call_id: UUID | str, *, follow: bool = True, after: str | None = None
    ) -> Iterator[LiveEvent]:
        """Watch a call as it happens, from what was said so far to its end. A lost connection is
        resumed where it broke off.

        Args:
            follow: ``False`` stops after what was said so far.
            after: the ``id`` of an event; the stream begins after it.

        Raises:
            StreamLost: the connection could not be resumed.
        """
        return streaming.follow(self._transport, LiveView(call_id, follow=follow, after=after))

    def save_recording(
        self, call_id: UUID | str, path: str | Path, *, audio_format: AudioFormat = "wav"
    ) -> None:
        """Download the call's audio, with the caller on the left and the agent on the right.

        Raises:
            RecordingNotReady: there are no files yet, or making them has failed.
        """
        address = downloads.address_of(self.recording(call_id), audio_format)
        downloads.save(address, Path(path))


class AsyncCalls(AsyncResource):
    create = awaitable(calls.create)
    create_webrtc = awaitable(calls.create_webrtc)
    page = awaitable(calls.page)
    every = async_iterating(calls.every)
    active = awaitable(calls.active)
    show = awaitable(calls.show)
    events = awaitable(calls.events)
    every_event = async_iterating(calls.every_event)
    transcript = awaitable(calls.transcript)
    queue_stats = awaitable(calls.queue_stats)
    end = awaitable(calls.end)
    daily_latencies = awaitable(calls.daily_latencies)
    bill = awaitable(calls.bill)
    legs = awaitable(calls.legs)
    give_feedback = awaitable(calls.give_feedback)
    add_participants = awaitable(calls.add_participants)
    recording = awaitable(calls.recording)
    summary = awaitable(calls.summary)
    reprocess = awaitable(calls.reprocess)

    def stream(
        self, call_id: UUID | str, *, follow: bool = True, after: str | None = None
    ) -> AsyncIterator[LiveEvent]:
        """As ``Calls.stream``."""
        view = LiveView(call_id, follow=follow, after=after)
        return streaming.follow_async(self._transport, view)

    async def save_recording(
        self, call_id: UUID | str, path: str | Path, *, audio_format: AudioFormat = "wav"
    ) -> None:
        """As ``Calls.save_recording``."""
        address = downloads.address_of(await self.recording(call_id), audio_format)
        await downloads.save_async(address, Path(path))


class Batches(Resource):
    create = blocking(batches.create)
    page = blocking(batches.page)
    every = iterating(batches.every)
    show = blocking(batches.show)
    recipients = blocking(batches.recipients)
    every_recipient = iterating(batches.every_recipient)
    cancel = blocking(batches.cancel)


class AsyncBatches(AsyncResource):
    create = awaitable(batches.create)
    page = awaitable(batches.page)
    every = async_iterating(batches.every)
    show = awaitable(batches.show)
    recipients = awaitable(batches.recipients)
    every_recipient = async_iterating(batches.every_recipient)
    cancel = awaitable(batches.cancel)


class Agents(Resource):
    create = blocking(agents.create)
    generate = blocking(agents.generate)
    page = blocking(agents.page)
    every = iterating(agents.every)
    show = blocking(agents.show)
    update = blocking(agents.update)
    clone = blocking(agents.clone)
    remove = blocking(agents.remove)
    publish = blocking(agents.publish)
    versions = blocking(agents.versions)
    every_version = iterating(agents.every_version)
    roll_back = blocking(agents.roll_back)
    calls = blocking(agents.calls)
    every_call = iterating(agents.every_call)
    begin_chat = blocking(chat_sessions.begin)
    show_chat = blocking(chat_sessions.show)
    say = blocking(chat_sessions.say)
    remove_chat = blocking(chat_sessions.remove)


class AsyncAgents(AsyncResource):
    create = awaitable(agents.create)
    generate = awaitable(agents.generate)
    page = awaitable(agents.page)
    every = async_iterating(agents.every)
    show = awaitable(agents.show)
    update = awaitable(agents.update)
    clone = awaitable(agents.clone)
    remove = awaitable(agents.remove)
    publish = awaitable(agents.publish)
    versions = awaitable(agents.versions)
    every_version = async_iterating(agents.every_version)
    roll_back = awaitable(agents.roll_back)
    calls = awaitable(agents.calls)
    every_call = async_iterating(agents.every_call)
    begin_chat = awaitable(chat_sessions.begin)
    show_chat = awaitable(chat_sessions.show)
    say = awaitable(chat_sessions.say)
    remove_chat = awaitable(chat_sessions.remove)


class ApiKeys(Resource):
    create = blocking(api_keys.create)
    page = blocking(api_keys.page)
    every = iterating(api_keys.every)
    show = blocking(api_keys.show)
    update = blocking(api_keys.update)
    rotate = blocking(api_keys.rotate)
    revoke = blocking(api_keys.revoke)


class AsyncApiKeys(AsyncResource):
    create = awaitable(api_keys.create)
    page = awaitable(api_keys.page)
    every = async_iterating(api_keys.every)
    show = awaitable(api_keys.show)
    update = awaitable(api_keys.update)
    rotate = awaitable(api_keys.rotate)
    revoke = awaitable(api_keys.revoke)


class Catalogue(Resource):
    models = blocking(catalogue.models)
    voices = blocking(catalogue.voices)
    managed_skus = blocking(catalogue.managed_skus)


class AsyncCatalogue(AsyncResource):
    models = awaitable(catalogue.models)
    voices = awaitable(catalogue.voices)
    managed_skus = awaitable(catalogue.managed_skus)


class Erasures(Resource):
    create = blocking(erasures.create)
    page = blocking(erasures.page)
    every = iterating(erasures.every)
    show = blocking(erasures.show)
    proof = blocking(erasures.proof)


class AsyncErasures(AsyncResource):
    create = awaitable(erasures.create)
    page = awaitable(erasures.page)
    every = async_iterating(erasures.every)
    show = awaitable(erasures.show)
    proof = awaitable(erasures.proof)


class Billing(Resource):
    balance = blocking(billing.balance)
    transactions = blocking(billing.transactions)
    topup_packs = blocking(billing.topup_packs)
    start_checkout = blocking(billing.start_checkout)
    payment_methods = blocking(billing.payment_methods)
    remove_payment_method = blocking(billing.remove_payment_method)
    auto_recharge = blocking(billing.auto_recharge)
    change_auto_recharge = blocking(billing.change_auto_recharge)
    register_mandate = blocking(billing.register_mandate)
    invoices = blocking(billing.invoices)
    every_invoice = iterating(billing.every_invoice)
    invoice = blocking(billing.invoice)
    plan = blocking(billing.plan)
    extra_usage = blocking(billing.extra_usage)
    set_extra_usage = blocking(billing.set_extra_usage)
    calls = blocking(billing.calls)
    spend = blocking(billing.spend)
    alerts = blocking(billing.alerts)
    set_alerts = blocking(billing.set_alerts)
    spend_alerts = blocking(billing.spend_alerts)
    acknowledge = blocking(billing.acknowledge)
    estimate = blocking(billing.estimate)
    usage_summary = blocking(billing.usage_summary)

    def export_csv(
        self,
        *,
        from_: datetime | None = None,
        to: datetime | None = None,
        agent_id: UUID | str | None = None,
        status: str | None = None,
    ) -> Iterator[str]:
        """What calls brought in and cost, as lines of CSV while they arrive: a header, then the
        newest 5,000 that match."""
        request = csv_export.request_of(from_=from_, to=to, agent_id=agent_id, status=status)
        return csv_export.lines(self._transport, request)


class AsyncBilling(AsyncResource):
    balance = awaitable(billing.balance)
    transactions = awaitable(billing.transactions)
    topup_packs = awaitable(billing.topup_packs)
    start_checkout = awaitable(billing.start_checkout)
    payment_methods = awaitable(billing.payment_methods)
    remove_payment_method = awaitable(billing.remove_payment_method)
    auto_recharge = awaitable(billing.auto_recharge)
    change_auto_recharge = awaitable(billing.change_auto_recharge)
    register_mandate = awaitable(billing.register_mandate)
    invoices = awaitable(billing.invoices)
    every_invoice = async_iterating(billing.every_invoice)
    invoice = awaitable(billing.invoice)
    plan = awaitable(billing.plan)
    extra_usage = awaitable(billing.extra_usage)
    set_extra_usage = awaitable(billing.set_extra_usage)
    calls = awaitable(billing.calls)
    spend = awaitable(billing.spend)
    alerts = awaitable(billing.alerts)
    set_alerts = awaitable(billing.set_alerts)
    spend_alerts = awaitable(billing.spend_alerts)
    acknowledge = awaitable(billing.acknowledge)
    estimate = awaitable(billing.estimate)
    usage_summary = awaitable(billing.usage_summary)

    def export_csv(
        self,
        *,
        from_: datetime | None = None,
        to: datetime | None = None,
        agent_id: UUID | str | None = None,
        status: str | None = None,
    ) -> AsyncIterator[str]:
        """As ``Billing.export_csv``."""
        request = csv_export.request_of(from_=from_, to=to, agent_id=agent_id, status=status)
        return csv_export.lines_async(self._transport, request)


class Webhooks(Resource):
    register = blocking(webhooks.register)
    page = blocking(webhooks.page)
    every = iterating(webhooks.every)
    show = blocking(webhooks.show)
    update = blocking(webhooks.update)
    remove = blocking(webhooks.remove)
    rotate_secret = blocking(webhooks.rotate_secret)
    deliveries = blocking(webhooks.deliveries)
    delivery = blocking(webhooks.delivery)
    replay = blocking(webhooks.replay)
    replay_span = blocking(webhooks.replay_span)
    send_sample = blocking(webhooks.send_sample)
    events = blocking(webhooks.events)


class AsyncWebhooks(AsyncResource):
    register = awaitable(webhooks.register)
    page = awaitable(webhooks.page)
    every = async_iterating(webhooks.every)
    show = awaitable(webhooks.show)
    update = awaitable(webhooks.update)
    remove = awaitable(webhooks.remove)
    rotate_secret = awaitable(webhooks.rotate_secret)
    deliveries = awaitable(webhooks.deliveries)
    delivery = awaitable(webhooks.delivery)
    replay = awaitable(webhooks.replay)
    replay_span = awaitable(webhooks.replay_span)
    send_sample = awaitable(webhooks.send_sample)
    events = awaitable(webhooks.events)


class Notifications(Resource):
    page = blocking(notifications.page)
    every = iterating(notifications.every)
    mark_read = blocking(notifications.mark_read)
    mark_all_read = blocking(notifications.mark_all_read)
    clear_read = blocking(notifications.clear_read)
    remove = blocking(notifications.remove)
    deliveries = blocking(notifications.deliveries)
    status = blocking(notifications.status)
    preferences = blocking(notifications.preferences)
    change_preference = blocking(notifications.change_preference)
    settings = blocking(notifications.settings)
    set_time_zone = blocking(notifications.set_time_zone)
    send_test = blocking(notifications.send_test)


class AsyncNotifications(AsyncResource):
    page = awaitable(notifications.page)
    every = async_iterating(notifications.every)
    mark_read = awaitable(notifications.mark_read)
    mark_all_read = awaitable(notifications.mark_all_read)
    clear_read = awaitable(notifications.clear_read)
    remove = awaitable(notifications.remove)
    deliveries = awaitable(notifications.deliveries)
    status = awaitable(notifications.status)
    preferences = awaitable(notifications.preferences)
    change_preference = awaitable(notifications.change_preference)
    settings = awaitable(notifications.settings)
    set_time_zone = awaitable(notifications.set_time_zone)
    send_test = awaitable(notifications.send_test)


class Carriers(Resource):
    connect = blocking(carriers.connect)
    page = blocking(carriers.page)
    every = iterating(carriers.every)
    show = blocking(carriers.show)
    update = blocking(carriers.update)
    remove = blocking(carriers.remove)
    verify = blocking(carriers.verify)


class AsyncCarriers(AsyncResource):
    connect = awaitable(carriers.connect)
    page = awaitable(carriers.page)
    every = async_iterating(carriers.every)
    show = awaitable(carriers.show)
    update = awaitable(carriers.update)
    remove = awaitable(carriers.remove)
    verify = awaitable(carriers.verify)


class Numbers(Resource):
    register = blocking(numbers.register)
    page = blocking(numbers.page)
    every = iterating(numbers.every)
    attach = blocking(numbers.attach)
    configure_webhook = blocking(numbers.configure_webhook)
    detach = blocking(numbers.detach)
    remove = blocking(numbers.remove)
    settings = blocking(numbers.settings)
    change_settings = blocking(numbers.change_settings)


class AsyncNumbers(AsyncResource):
    register = awaitable(numbers.register)
    page = awaitable(numbers.page)
    every = async_iterating(numbers.every)
    attach = awaitable(numbers.attach)
    configure_webhook = awaitable(numbers.configure_webhook)
    detach = awaitable(numbers.detach)
    remove = awaitable(numbers.remove)
    settings = awaitable(numbers.settings)
    change_settings = awaitable(numbers.change_settings)


class Knowledge(Resource):
    sources = blocking(knowledge.sources)
    add_text = blocking(knowledge.add_text)
    add_page = blocking(knowledge.add_page)
    upload = blocking(knowledge.upload)
    show = blocking(knowledge.show)
    search = blocking(knowledge.search)
    refresh = blocking(knowledge.refresh)
    fetch_every = blocking(knowledge.fetch_every)
    remove = blocking(knowledge.remove)


class AsyncKnowledge(AsyncResource):
    sources = awaitable(knowledge.sources)
    add_text = awaitable(knowledge.add_text)
    add_page = awaitable(knowledge.add_page)
    upload = awaitable(knowledge.upload)
    show = awaitable(knowledge.show)
    search = awaitable(knowledge.search)
    refresh = awaitable(knowledge.refresh)
    fetch_every = awaitable(knowledge.fetch_every)
    remove = awaitable(knowledge.remove)


class Sharing(Resource):
    link = blocking(sharing.link)
    change_link = blocking(sharing.change_link)
    regenerate_link = blocking(sharing.regenerate_link)
    testers = blocking(sharing.testers)
    invite = blocking(sharing.invite)
    change_tester = blocking(sharing.change_tester)
    resend = blocking(sharing.resend)
    revoke = blocking(sharing.revoke)


class AsyncSharing(AsyncResource):
    link = awaitable(sharing.link)
    change_link = awaitable(sharing.change_link)
    regenerate_link = awaitable(sharing.regenerate_link)
    testers = awaitable(sharing.testers)
    invite = awaitable(sharing.invite)
    change_tester = awaitable(sharing.change_tester)
    resend = awaitable(sharing.resend)
    revoke = awaitable(sharing.revoke)
