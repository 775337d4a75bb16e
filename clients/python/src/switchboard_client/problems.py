"""The errors that the API declares, one class a code.

Written by generate.py from the API's OpenAPI document.
"""

from __future__ import annotations

from switchboard_client.errors import ApiError


class AccessTokenForAnotherCall(ApiError):
    """This access token is for another call or participant (403)."""

    code = "access_token_for_another_call"


class AccessTokenInvalid(ApiError):
    """Missing or invalid access token (401)."""

    code = "access_token_invalid"


class AgentAdminPaused(ApiError):
    """The agent is paused by an administrator (423)."""

    code = "agent_admin_paused"


class AgentNotFound(ApiError):
    """Agent not found (404)."""

    code = "agent_not_found"


class AgentNotInTenant(ApiError):
    """The agent is not one of yours (403)."""

    code = "agent_not_in_tenant"


class AgentNotPublishReady(ApiError):
    """The agent is not ready to be published (409)."""

    code = "agent_not_publish_ready"


class AgentOfAnotherTenant(ApiError):
    """The agent belongs to another tenant (403)."""

    code = "agent_of_another_tenant"


class AlreadyMember(ApiError):
    """This person is already a member (409)."""

    code = "already_member"


class AnalysisUnderWay(ApiError):
    """The call is already being analysed (409)."""

    code = "analysis_under_way"


class ApiKeyNotFound(ApiError):
    """API key not found (404)."""

    code = "api_key_not_found"


class ApiKeyRevokedAlready(ApiError):
    """The API key is revoked for good (409)."""

    code = "api_key_revoked"


class BadOffer(ApiError):
    """The body is not an SDP offer that can be answered (400)."""

    code = "bad_offer"


class BalanceTooLow(ApiError):
    """The balance is too low (409)."""

    code = "balance_too_low"


class BatchNotFound(ApiError):
    """Batch not found (404)."""

    code = "batch_not_found"


class BodyNotReceived(ApiError):
    """The request body did not arrive in time (408)."""

    code = "body_not_received"


class BodyTooLarge(ApiError):
    """The request body is too large (413)."""

    code = "body_too_large"


class CallAlreadyOver(ApiError):
    """The call is already over (409)."""

    code = "call_already_over"


class CallFull(ApiError):
    """The call has no room for more participants (409)."""

    code = "call_full"


class CallNotFound(ApiError):
    """Call not found (404)."""

    code = "call_not_found"


class CallNotOver(ApiError):
    """The call has not ended yet; it is analysed when it ends (409)."""

    code = "call_not_over"


class CallOfAnotherTenant(ApiError):
    """The call belongs to another tenant (403)."""

    code = "call_of_another_tenant"


class CallOver(ApiError):
    """The call is over (410)."""

    code = "call_over"


class CallPaidByTester(ApiError):
    """A tester pays for this call (409)."""

    code = "call_paid_by_tester"


class CallerInCall(ApiError):
    """A call of this caller is running or waits to be dialed (409)."""

    code = "caller_in_call"


class CarrierAccountNotFound(ApiError):
    """Carrier account not found (404)."""

    code = "carrier_account_not_found"


class CatalogueEntryNotFound(ApiError):
    """The catalogue has no such entry (404)."""

    code = "catalogue_entry_not_found"


class ChatModelFailed(ApiError):
    """The agent's language model gave no answer (502)."""

    code = "chat_model_failed"


class ChatSessionBusy(ApiError):
    """The agent is still answering the previous message (409)."""

    code = "chat_session_busy"


class ChatSessionNotFound(ApiError):
    """Chat session not found (404)."""

    code = "chat_session_not_found"


class ChatSessionOver(ApiError):
    """The chat is over; start another one (409)."""

    code = "chat_session_over"


class CorrectedEntryNotFound(ApiError):
    """The tenant has no such transaction (404)."""

    code = "transaction_not_found"


class CreditReferenceTaken(ApiError):
    """This reference was already used for something else (409)."""

    code = "credit_reference_taken"


class CsrfTokenRequired(ApiError):
    """The header X-CSRF-Token is missing or wrong (403)."""

    code = "csrf_token_required"


class DatabaseUnavailable(ApiError):
    """The database cannot be reached (503)."""

    code = "database_unavailable"


class DeliveryExpired(ApiError):
    """What the delivery would tell was erased (409)."""

    code = "delivery_expired"


class DeliveryNotFound(ApiError):
    """The webhook has no such delivery (404)."""

    code = "delivery_not_found"


class DeliveryUnderWay(ApiError):
    """The delivery is still being tried (409)."""

    code = "delivery_under_way"


class EmailNotConfirmed(ApiError):
    """Your mail address is not confirmed yet (403)."""

    code = "email_not_confirmed"


class EmailTaken(ApiError):
    """This mail address already has an account (409)."""

    code = "email_taken"


class ErasureNotFound(ApiError):
    """Erasure not found (404)."""

    code = "erasure_not_found"


class ForeignOrigin(ApiError):
    """A page of another site cannot use a dashboard session (403)."""

    code = "foreign_origin"


class FreeMinutesRequired(ApiError):
    """This agent's testers need free minutes (400)."""

    code = "free_minutes_required"


class GatewayNotConfigured(ApiError):
    """This installation takes no payments: no payment gateway is configured (503)."""

    code = "gateway_not_configured"


class GatewayUnavailable(ApiError):
    """The payment gateway cannot be reached (503)."""

    code = "gateway_unavailable"


class GenerationNotConfigured(ApiError):
    """This request needs a language model, and none is available (503)."""

    code = "generation_not_configured"


class HostNotAllowed(ApiError):
    """This server does not answer for this host (421)."""

    code = "host_not_allowed"


class IdempotencyKeyInUse(ApiError):
    """The first request with this Idempotency-Key is still being carried out (409)."""

    code = "idempotency_key_in_use"


class IdempotencyKeyReused(ApiError):
    """This Idempotency-Key was used for another request (422)."""

    code = "idempotency_key_reused"


class InsufficientCredits(ApiError):
    """Insufficient credits (402)."""

    code = "insufficient_credits"


class InvalidCredentials(ApiError):
    """The mail address or the password is wrong (401)."""

    code = "invalid_credentials"


class InvalidPhoneNumber(ApiError):
    """The text is not a phone number (400)."""

    code = "invalid_phone_number"


class InvalidRequest(ApiError):
    """The request is not valid (400)."""

    code = "invalid_request"


class InvalidSignature(ApiError):
    """The event is not signed by the gateway (400)."""

    code = "invalid_signature"


class InvalidTesterInput(ApiError):
    """The tester's mail address, minutes or expiry is not valid (400)."""

    code = "invalid_tester_input"


class InvalidToken(ApiError):
    """The token is unknown, used or expired (400)."""

    code = "invalid_token"


class InvitationClosed(ApiError):
    """The invitation has been accepted or revoked (409)."""

    code = "invitation_closed"


class InvitationExists(ApiError):
    """This address is already invited (409)."""

    code = "invitation_exists"


class InvitationForSomebodyElse(ApiError):
    """The invitation is for another mail address (403)."""

    code = "invitation_for_somebody_else"


class InvitationNotFound(ApiError):
    """Invitation not found (404)."""

    code = "invitation_not_found"


class InvoiceNotFound(ApiError):
    """You have no such invoice (404)."""

    code = "invoice_not_found"


class InvoiceNotVoidable(ApiError):
    """This invoice cannot be voided (409)."""

    code = "invoice_not_voidable"


class KeyScopeViolation(ApiError):
    """This publishable key does not permit the call (403)."""

    code = "key_scope_violation"


class KnowledgeBytesExceeded(ApiError):
    """Your plan allows no more bytes of knowledge (429)."""

    code = "quota_exceeded.knowledge_bytes_max"


class KnowledgeOfPersona(ApiError):
    """The source is the knowledge base of the agent's persona (409)."""

    code = "knowledge_of_persona"


class KnowledgeShareUsedUp(ApiError):
    """Your tenant reads passages too often at once (429)."""

    code = "knowledge_share_used_up"


class KnowledgeSourceNotFound(ApiError):
    """The agent has no such knowledge source (404)."""

    code = "knowledge_source_not_found"


class KnowledgeSourcesExceeded(ApiError):
    """Your plan allows no more knowledge sources (429)."""

    code = "quota_exceeded.knowledge_sources_max"


class KnowledgeTooLarge(ApiError):
    """The text or file is too large (413)."""

    code = "knowledge_too_large"


class KnowledgeTooSlow(ApiError):
    """The passages could not be read in time (503)."""

    code = "knowledge_too_slow"


class KnowledgeUnavailable(ApiError):
    """The passages cannot be read at the moment (503)."""

    code = "knowledge_unavailable"


class LastOwner(ApiError):
    """The tenant's last owner must stay its owner (409)."""

    code = "last_owner"


class LinkUnavailable(ApiError):
    """The media workers cannot be reached (503)."""

    code = "link_unavailable"


class MemberNotFound(ApiError):
    """Member not found (404)."""

    code = "member_not_found"


class NoCapacity(ApiError):
    """No media worker can take the call now (503)."""

    code = "no_capacity"


class NoMembership(ApiError):
    """You are not a member of this tenant (403)."""

    code = "no_membership"


class NoTextModel(ApiError):
    """The agent's language model cannot chat in text (422)."""

    code = "no_text_model"


class NoWorker(ApiError):
    """No media worker has taken the call yet (503)."""

    code = "no_worker"


class NumberNotFound(ApiError):
    """The tenant has no such number (404)."""

    code = "number_not_found"


class NumberNotListed(ApiError):
    """The number is not on the do-not-call list (404)."""

    code = "do_not_call_number_not_found"


class NumberOnDoNotCallList(ApiError):
    """A participant is on the do-not-call list (400)."""

    code = "do_not_call"


class NumberTaken(ApiError):
    """The number belongs to another tenant (409)."""

    code = "number_taken"


class ObjectStoreUnavailable(ApiError):
    """The store of recordings cannot be reached (503)."""

    code = "object_store_unavailable"


class OfferReplaced(ApiError):
    """A later offer of this client has arrived before this one (409)."""

    code = "offer_replaced"


class OnlyPagesAreRefreshed(ApiError):
    """Only a source of kind url can be fetched again (409)."""

    code = "only_pages_are_refreshed"


class OriginNotAllowed(ApiError):
    """The publishable key does not permit this page's origin (403)."""

    code = "origin_not_allowed"


class OwnKeysNotAllowed(ApiError):
    """Your plan does not include your own provider keys (403)."""

    code = "own_keys_not_allowed"


class PackExists(ApiError):
    """There is a pack with this price (409)."""

    code = "topup_pack_exists"


class PackNotFound(ApiError):
    """There is no such pack (404)."""

    code = "topup_pack_not_found"


class ParkedEventNotApplicable(ApiError):
    """The event cannot be applied (409)."""

    code = "parked_event_not_applicable"


class ParkedEventNotFound(ApiError):
    """There is no such parked event (404)."""

    code = "parked_event_not_found"


class ParkedEventResolved(ApiError):
    """The event was already settled in the other way (409)."""

    code = "parked_event_resolved"


class PayerNotAllowed(ApiError):
    """This account cannot pay for the calls of this invitation (403)."""

    code = "payer_not_allowed"


class PaymentMethodNotFound(ApiError):
    """You have no such payment method (404)."""

    code = "payment_method_not_found"


class PhoneCallsUsedUp(ApiError):
    """This publishable key has started all its phone calls of today (429)."""

    code = "phone_calls_used_up"


class PhoneCountryNotAllowed(ApiError):
    """The number is in a country that you do not call (403)."""

    code = "phone_country_not_allowed"


class PhoneDailySpendReached(ApiError):
    """Today's spending on phones has reached your cap (403)."""

    code = "phone_daily_spend_reached"


class PhoneRateAboveCeiling(ApiError):
    """A minute to this number costs more than you allow (403)."""

    code = "phone_rate_above_ceiling"


class PlanExists(ApiError):
    """A plan with this id already exists (409)."""

    code = "plan_exists"


class PlatformCallsDisabled(ApiError):
    """Calls are disabled platform-wide (503)."""

    code = "platform_calls_disabled"


class PreconditionFailed(ApiError):
    """The agent has changed since you read it (412)."""

    code = "precondition_failed"


class PriceExists(ApiError):
    """A price with this time exists, and prices cannot be changed (409)."""

    code = "price_exists"


class ProofNotAvailable(ApiError):
    """The erasure is not completed yet (404)."""

    code = "erasure_proof_not_available"


class ProviderKeyNotFound(ApiError):
    """You have not set a key for this provider (404)."""

    code = "provider_key_not_found"


class ProviderKeyRejected(ApiError):
    """The provider does not accept this key (400)."""

    code = "provider_key_rejected"


class ProviderKeyUnavailable(ApiError):
    """A provider of the agent cannot be used (422)."""

    code = "provider_key_unavailable"


class ProviderUnreachable(ApiError):
    """The provider could not be asked whether it accepts this key (424)."""

    code = "provider_unreachable"


class RangeNotSatisfiable(ApiError):
    """The requested range is outside the file (416)."""

    code = "range_not_satisfiable"


class RateLimited(ApiError):
    """Too many requests (429)."""

    code = "rate_limited"


class RecordingAddressInvalid(ApiError):
    """The address of the recording is not valid or has expired (403)."""

    code = "recording_address_invalid"


class RecordingFileNotFound(ApiError):
    """The file of the recording no longer exists (404)."""

    code = "recording_file_not_found"


class RecordingNotAvailable(ApiError):
    """This call was not recorded (404)."""

    code = "recording_not_available"


class ResendTooSoon(ApiError):
    """An invitation is mailed at most once a minute (429)."""

    code = "resend_too_soon"


class RoleRequired(ApiError):
    """Your role does not permit this (403)."""

    code = "role_required"


class SecretKeyRequired(ApiError):
    """A publishable key cannot do this (403)."""

    code = "secret_key_required"


class SecretLost(ApiError):
    """The webhook's secret cannot be decrypted: set it again (409)."""

    code = "webhook_secret_lost"


class SessionNotFound(ApiError):
    """Session not found (404)."""

    code = "session_not_found"


class SessionRequired(ApiError):
    """This needs a dashboard session; a key cannot do it (403)."""

    code = "session_required"


class ShareLinkBusy(ApiError):
    """As many people as may call at a time are in a call (409)."""

    code = "share_link_busy"


class ShareLinkNotFound(ApiError):
    """The agent has no public link yet (404)."""

    code = "share_link_not_found"


class ShareLinkOff(ApiError):
    """This link is switched off (409)."""

    code = "share_link_off"


class ShareLinkPoolEmpty(ApiError):
    """No minutes are left (409)."""

    code = "share_link_pool_empty"


class ShareLinkRateLimited(ApiError):
    """Too many calls from this network (429)."""

    code = "share_link_rate_limited"


class ShareLinkUnpublished(ApiError):
    """The agent behind this link takes no calls at the moment (409)."""

    code = "share_link_unpublished"


class ShareLinksDisabled(ApiError):
    """This installation has no public links (404)."""

    code = "share_links_disabled"


class ShareNotFound(ApiError):
    """There is no such link (404)."""

    code = "share_not_found"


class ShareOriginNotAllowed(ApiError):
    """This link does not permit the page's origin (403)."""

    code = "share_origin_not_allowed"


class SignUpDisabled(ApiError):
    """Sign-up is disabled on this installation (403)."""

    code = "sign_up_disabled"


class SmsNotConfigured(ApiError):
    """This installation sends no SMS (409)."""

    code = "sms_not_configured"


class SpendAlertNotFound(ApiError):
    """There is no such alert that is not acknowledged (404)."""

    code = "spend_alert_not_found"


class SpendingLimited(ApiError):
    """Too many requests that use language models (429)."""

    code = "spending_limited"


class SummaryNotAvailable(ApiError):
    """The call has not been analysed yet (404)."""

    code = "summary_not_available"


class TaxRateExists(ApiError):
    """The country has a tax of this kind (409)."""

    code = "tax_rate_exists"


class TaxRateNotFound(ApiError):
    """There is no such tax rate (404)."""

    code = "tax_rate_not_found"


class TenantNotFound(ApiError):
    """Tenant not found (404)."""

    code = "tenant_not_found"


class TesterAddressLost(ApiError):
    """The invitation's address cannot be decrypted: revoke it and invite the tester again (409)."""

    code = "tester_address_lost"


class TesterAlreadyInvited(ApiError):
    """This mail address is already invited to the agent (409)."""

    code = "tester_already_invited"


class TesterInviteSendFailed(ApiError):
    """The mail server did not accept the invitation (502)."""

    code = "tester_invite_send_failed"


class TesterLimitReached(ApiError):
    """The agent has as many testers as it may have (409)."""

    code = "tester_limit_reached"


class TesterNotFound(ApiError):
    """Tester not found (404)."""

    code = "tester_not_found"


class TesterResendCooldown(ApiError):
    """An invitation is mailed at most once a minute (429)."""

    code = "tester_resend_cooldown"


class TooManyAttempts(ApiError):
    """Too many attempts (429)."""

    code = "too_many_attempts"


class TooManyBodies(ApiError):
    """Too many request bodies are being received (503)."""

    code = "too_many_bodies"


class TooManyCalls(ApiError):
    """Too many calls are open (429)."""

    code = "too_many_calls"


class TooManyChatSessions(ApiError):
    """Too many chats are open (429)."""

    code = "too_many_chat_sessions"


class TooManyNumbers(ApiError):
    """Your plan allows no more phone numbers (429)."""

    code = "quota_exceeded.phone_numbers_max"


class TooManyViewers(ApiError):
    """Too many calls are being watched (503)."""

    code = "too_many_viewers"


class TooManyWebhooks(ApiError):
    """The tenant has as many webhooks as it may have (409)."""

    code = "too_many_webhooks"


class TranscriptNotAvailable(ApiError):
    """The call has no transcript yet (404)."""

    code = "transcript_not_available"


class Unauthorized(ApiError):
    """Missing or invalid API key (401)."""

    code = "unauthorized"


class UnknownProvider(ApiError):
    """No provider of this name takes a key (404)."""

    code = "unknown_provider"


class UnsupportedCountry(ApiError):
    """The number belongs to no country whose numbers can be used (400)."""

    code = "unsupported_country"


class UnsupportedMediaType(ApiError):
    """The request body has the wrong content type (415)."""

    code = "unsupported_media_type"


class VersionNotFound(ApiError):
    """The agent has no such version (404)."""

    code = "agent_version_not_found"


class ViewerShareUsedUp(ApiError):
    """Your tenant watches too many calls at once (429)."""

    code = "viewer_share_used_up"


class VoiceNeedsKey(ApiError):
    """There is no key for the voice's provider (409)."""

    code = "voice_needs_key"


class VoiceNotFound(ApiError):
    """The catalogue has no such voice (404)."""

    code = "voice_not_found"


class VoiceNotSampled(ApiError):
    """The provider did not speak the sample (424)."""

    code = "voice_not_sampled"


class WebhookNotFound(ApiError):
    """There is no such webhook (404)."""

    code = "webhook_not_found"


BY_CODE: dict[str, type[ApiError]] = {
    "access_token_for_another_call": AccessTokenForAnotherCall,
    "access_token_invalid": AccessTokenInvalid,
    "agent_admin_paused": AgentAdminPaused,
    "agent_not_found": AgentNotFound,
    "agent_not_in_tenant": AgentNotInTenant,
    "agent_not_publish_ready": AgentNotPublishReady,
    "agent_of_another_tenant": AgentOfAnotherTenant,
    "agent_version_not_found": VersionNotFound,
    "already_member": AlreadyMember,
    "analysis_under_way": AnalysisUnderWay,
    "api_key_not_found": ApiKeyNotFound,
    "api_key_revoked": ApiKeyRevokedAlready,
    "bad_offer": BadOffer,
    "balance_too_low": BalanceTooLow,
    "batch_not_found": BatchNotFound,
    "body_not_received": BodyNotReceived,
    "body_too_large": BodyTooLarge,
    "call_already_over": CallAlreadyOver,
    "call_full": CallFull,
    "call_not_found": CallNotFound,
    "call_not_over": CallNotOver,
    "call_of_another_tenant": CallOfAnotherTenant,
    "call_over": CallOver,
    "call_paid_by_tester": CallPaidByTester,
    "caller_in_call": CallerInCall,
    "carrier_account_not_found": CarrierAccountNotFound,
    "catalogue_entry_not_found": CatalogueEntryNotFound,
    "chat_model_failed": ChatModelFailed,
    "chat_session_busy": ChatSessionBusy,
    "chat_session_not_found": ChatSessionNotFound,
    "chat_session_over": ChatSessionOver,
    "credit_reference_taken": CreditReferenceTaken,
    "csrf_token_required": CsrfTokenRequired,
    "database_unavailable": DatabaseUnavailable,
    "delivery_expired": DeliveryExpired,
    "delivery_not_found": DeliveryNotFound,
    "delivery_under_way": DeliveryUnderWay,
    "do_not_call": NumberOnDoNotCallList,
    "do_not_call_number_not_found": NumberNotListed,
    "email_not_confirmed": EmailNotConfirmed,
    "email_taken": EmailTaken,
    "erasure_not_found": ErasureNotFound,
    "erasure_proof_not_available": ProofNotAvailable,
    "foreign_origin": ForeignOrigin,
    "free_minutes_required": FreeMinutesRequired,
    "gateway_not_configured": GatewayNotConfigured,
    "gateway_unavailable": GatewayUnavailable,
    "generation_not_configured": GenerationNotConfigured,
    "host_not_allowed": HostNotAllowed,
    "idempotency_key_in_use": IdempotencyKeyInUse,
    "idempotency_key_reused": IdempotencyKeyReused,
    "insufficient_credits": InsufficientCredits,
    "invalid_credentials": InvalidCredentials,
    "invalid_phone_number": InvalidPhoneNumber,
    "invalid_request": InvalidRequest,
    "invalid_signature": InvalidSignature,
    "invalid_tester_input": InvalidTesterInput,
    "invalid_token": InvalidToken,
    "invitation_closed": InvitationClosed,
    "invitation_exists": InvitationExists,
    "invitation_for_somebody_else": InvitationForSomebodyElse,
    "invitation_not_found": InvitationNotFound,
    "invoice_not_found": InvoiceNotFound,
    "invoice_not_voidable": InvoiceNotVoidable,
    "key_scope_violation": KeyScopeViolation,
    "knowledge_of_persona": KnowledgeOfPersona,
    "knowledge_share_used_up": KnowledgeShareUsedUp,
    "knowledge_source_not_found": KnowledgeSourceNotFound,
    "knowledge_too_large": KnowledgeTooLarge,
    "knowledge_too_slow": KnowledgeTooSlow,
    "knowledge_unavailable": KnowledgeUnavailable,
    "last_owner": LastOwner,
    "link_unavailable": LinkUnavailable,
    "member_not_found": MemberNotFound,
    "no_capacity": NoCapacity,
    "no_membership": NoMembership,
    "no_text_model": NoTextModel,
    "no_worker": NoWorker,
    "number_not_found": NumberNotFound,
    "number_taken": NumberTaken,
    "object_store_unavailable": ObjectStoreUnavailable,
    "offer_replaced": OfferReplaced,
    "only_pages_are_refreshed": OnlyPagesAreRefreshed,
    "origin_not_allowed": OriginNotAllowed,
    "own_keys_not_allowed": OwnKeysNotAllowed,
    "parked_event_not_applicable": ParkedEventNotApplicable,
    "parked_event_not_found": ParkedEventNotFound,
    "parked_event_resolved": ParkedEventResolved,
    "payer_not_allowed": PayerNotAllowed,
    "payment_method_not_found": PaymentMethodNotFound,
    "phone_calls_used_up": PhoneCallsUsedUp,
    "phone_country_not_allowed": PhoneCountryNotAllowed,
    "phone_daily_spend_reached": PhoneDailySpendReached,
    "phone_rate_above_ceiling": PhoneRateAboveCeiling,
    "plan_exists": PlanExists,
    "platform_calls_disabled": PlatformCallsDisabled,
    "precondition_failed": PreconditionFailed,
    "price_exists": PriceExists,
    "provider_key_not_found": ProviderKeyNotFound,
    "provider_key_rejected": ProviderKeyRejected,
    "provider_key_unavailable": ProviderKeyUnavailable,
    "provider_unreachable": ProviderUnreachable,
    "quota_exceeded.knowledge_bytes_max": KnowledgeBytesExceeded,
    "quota_exceeded.knowledge_sources_max": KnowledgeSourcesExceeded,
    "quota_exceeded.phone_numbers_max": TooManyNumbers,
    "range_not_satisfiable": RangeNotSatisfiable,
    "rate_limited": RateLimited,
    "recording_address_invalid": RecordingAddressInvalid,
    "recording_file_not_found": RecordingFileNotFound,
    "recording_not_available": RecordingNotAvailable,
    "resend_too_soon": ResendTooSoon,
    "role_required": RoleRequired,
    "secret_key_required": SecretKeyRequired,
    "session_not_found": SessionNotFound,
    "session_required": SessionRequired,
    "share_link_busy": ShareLinkBusy,
    "share_link_not_found": ShareLinkNotFound,
    "share_link_off": ShareLinkOff,
    "share_link_pool_empty": ShareLinkPoolEmpty,
    "share_link_rate_limited": ShareLinkRateLimited,
    "share_link_unpublished": ShareLinkUnpublished,
    "share_links_disabled": ShareLinksDisabled,
    "share_not_found": ShareNotFound,
    "share_origin_not_allowed": ShareOriginNotAllowed,
    "sign_up_disabled": SignUpDisabled,
    "sms_not_configured": SmsNotConfigured,
    "spend_alert_not_found": SpendAlertNotFound,
    "spending_limited": SpendingLimited,
    "summary_not_available": SummaryNotAvailable,
    "tax_rate_exists": TaxRateExists,
    "tax_rate_not_found": TaxRateNotFound,
    "tenant_not_found": TenantNotFound,
    "tester_address_lost": TesterAddressLost,
    "tester_already_invited": TesterAlreadyInvited,
    "tester_invite_send_failed": TesterInviteSendFailed,
    "tester_limit_reached": TesterLimitReached,
    "tester_not_found": TesterNotFound,
    "tester_resend_cooldown": TesterResendCooldown,
    "too_many_attempts": TooManyAttempts,
    "too_many_bodies": TooManyBodies,
    "too_many_calls": TooManyCalls,
    "too_many_chat_sessions": TooManyChatSessions,
    "too_many_viewers": TooManyViewers,
    "too_many_webhooks": TooManyWebhooks,
    "topup_pack_exists": PackExists,
    "topup_pack_not_found": PackNotFound,
    "transaction_not_found": CorrectedEntryNotFound,
    "transcript_not_available": TranscriptNotAvailable,
    "unauthorized": Unauthorized,
    "unknown_provider": UnknownProvider,
    "unsupported_country": UnsupportedCountry,
    "unsupported_media_type": UnsupportedMediaType,
    "viewer_share_used_up": ViewerShareUsedUp,
    "voice_needs_key": VoiceNeedsKey,
    "voice_not_found": VoiceNotFound,
    "voice_not_sampled": VoiceNotSampled,
    "webhook_not_found": WebhookNotFound,
    "webhook_secret_lost": SecretLost,
}
