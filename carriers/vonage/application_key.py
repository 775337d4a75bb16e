"""The RSA key with which we sign requests about the calls of a Vonage application."""

from __future__ import annotations

import time
from uuid import uuid4

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

KEY_BITS = 2048
TOKEN_SECONDS = 300


def new_private_key() -> str:
    """In PEM. Takes up to a second of processor time: call it in a thread."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=KEY_BITS)
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode().strip()


def public_key(private_key: str) -> str:
    """In PEM."""
    key = load_pem_private_key(private_key.encode(), password=None)
    public = key.public_key()
    return public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


def application_token(application_id: str, private_key: str) -> str:
    """A JWT for one request (RS256). Source: https://developer.vonage.com/en/getting-started/concepts/authentication"""
    now = int(time.time())
    claims = {
        "application_id": application_id,
        "iat": now,
        "exp": now + TOKEN_SECONDS,
        "jti": str(uuid4()),
    }
    return jwt.encode(claims, private_key, algorithm="RS256")
