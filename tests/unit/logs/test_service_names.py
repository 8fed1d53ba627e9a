"""Whose line it is: the line's own word comes before the name of its file, a thread is no service."""

from __future__ import annotations

from pathlib import Path

import pytest

from superbiz_cli.adapters.log_files.origin import find_service, service_of_file


@pytest.mark.parametrize(
    ("rest", "service"),
    [
        ("ERROR [payment-service,4bf92f,00f0] 1 --- [main] c.a.Pay : refused", "payment-service"),
        ("INFO  [payment-service,,] 1 --- [main] c.a.Pay : refused", "payment-service"),
        ("[ERROR] [订单中心] 扣减库存超时", "订单中心"),
        ("ERROR【支付网关】超时", "支付网关"),
        ("ERROR [order-service] refused", "order-service"),
        ("INFO order-api - served", "order-api"),
        ("ERROR refused service=billing", "billing"),
        ("ERROR [http-nio-exec] refused", None),
        ("ERROR [scheduling-1] refused", None),
        ("ERROR [工作线程] 失败", None),
        ("ERROR refused", None),
    ],
)
def test_a_line_names_its_service(rest: str, service: str | None) -> None:
    assert find_service(rest) == service


@pytest.mark.parametrize(
    ("path", "service"),
    [
        ("/var/log/claims.log", "claims"),
        ("/var/log/claims.log.3.gz", "claims"),
        ("/var/log/claims-2026-11-30.log", "claims"),
        ("/var/log/nginx/error.log", "nginx"),
        ("/var/log/nginx/access.log.1", "nginx"),
        ("/var/log/error.log", "error"),
        ("/srv/shop/app.log", "app"),
        ("error.log", "error"),
    ],
)
def test_a_file_stands_for_its_service_and_a_name_without_meaning_for_its_folder(
    path: str, service: str
) -> None:
    assert service_of_file(Path(path)) == service
